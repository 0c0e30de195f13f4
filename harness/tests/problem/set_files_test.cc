// How the files of a problem in a public set are found, and the Python text that is made of them. The files
// are our own, in the form of each set.
#include "problem/set_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "problem/diagnostics.h"

namespace kgrade::test {
namespace set_files_test {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::StartsWith;

const std::string definition =
    R"({"name": "Add_n8", "axes": {"n": {"type": "var"}}, "inputs": {}, "outputs": {},
 "reference": "def run(x):\n    return x\n"})";
const std::string workload = R"({"axes": {"n": 8}, "inputs": {"x": {"type": "random"}}})";
const std::string model = "class Model(torch.nn.Module):\n    pass\n";
const std::string complete = model + "def get_inputs(): return []\n";  // in KernelBench's form
const std::string tests = std::string(120, '#') + "\ndef test_add(): pass\n";

std::string workload_from(const std::string& path) {
  return R"({"axes": {}, "inputs": {"x": {"type": "safetensors", "tensor_key": "x", "path": ")" + path +
         "\"}}}\n";
}

// What define() gets: the literal of Python in the last line, without Python.
json argument_of(const SetText& text) {
  const std::size_t begin = text.text.rfind("globals(), \"") + 12;
  const std::string_view literal(text.text.data() + begin, text.text.rfind("\")") - begin);
  std::string undone;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    EXPECT_TRUE(literal[i] != '"' && literal[i] != '\n');
    if (literal[i] == '\\') ++i;
    undone += literal[i];
  }
  return json::parse(undone);
}

class SetFilesTest : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& content) {
    fs::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name, std::ios::binary) << content;
    return folder() / name;
  }
  fs::path folder() const { return folder_.path(); }

  SetText read(const fs::path& path) {
    EXPECT_TRUE(is_set_path(path)) << path;
    const auto text = read_set_problem(path);
    EXPECT_TRUE(text.ok()) << (text ? "" : to_string(text.errors()));
    return text ? *text : SetText{};
  }
  json files(const fs::path& path) { return argument_of(read(path))["files"]; }
  static Error error(const fs::path& path) {
    const auto text = read_set_problem(path);
    EXPECT_FALSE(text.ok());
    if (text) return {};
    EXPECT_NE(text.error().remedy, "") << text.error().message;
    return text.error();
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(SetFilesTest, ADefinitionWithItsWorkloads) {
  const fs::path path = write("add/definition.json", definition);
  write("add/workload.jsonl", workload + "\n");
  const SetText found = read(path);
  EXPECT_EQ(found.set, "flashinfer_bench");
  EXPECT_EQ(found.slug, "add-n8");
  EXPECT_THAT(found.text, StartsWith("def run(x):\n    return x\n\n\nfrom kgrade_python.sets import "
                                     "flashinfer_bench as _kgrade_set; _kgrade_set.define(globals(), \""));
  const json given = argument_of(found);
  EXPECT_EQ(given["name"], "add-n8");
  EXPECT_EQ(given["files"], (json{{"definition", definition}, {"workloads", workload + "\n"}}));
  EXPECT_EQ(read(folder() / "add").text, found.text);
}

TEST_F(SetFilesTest, TheTextIsOneLiteralWhateverTheFilesHold) {
  write("a/definition.json", definition);
  const std::string odd = R"({"inputs": {}, "note": "\u0000 \" \\n ' Größe 𝄞)"
                          "\xe2\x80\xa8\x7f\"}\r\n\n";
  write("a/workload.jsonl", odd);
  EXPECT_EQ(files(folder() / "a")["workloads"], odd);
}

TEST_F(SetFilesTest, WorkloadsElsewhereInTheTree) {
  const fs::path path = write("trace/definitions/gemm/add.json", definition);
  EXPECT_THAT(error(path).message, HasSubstr("no workloads"));
  write("trace/workloads/other/add.jsonl", workload);
  EXPECT_EQ(files(path)["workloads"], workload);
  write("trace/workloads/gemm/add.jsonl", "");
  EXPECT_EQ(files(path)["workloads"], "");
}

TEST_F(SetFilesTest, TensorsComeFromTheNearestFolderThatHasThem) {
  const fs::path path = write("set/deck/add/definition.json", definition);
  write("set/deck/add/workload.jsonl",
        workload_from("./blob/a.safetensors") + workload_from("blob/none.safetensors"));
  write("set/blob/a.safetensors", std::string("\x00\xff\x10\x83", 4));
  write("blob/a.safetensors", "wrong");
  const json found = files(path);
  EXPECT_EQ(found["./blob/a.safetensors"], "AP8Qgw==");
  EXPECT_FALSE(found.contains("blob/none.safetensors"));
}

TEST_F(SetFilesTest, TensorsFromElsewhereAreRefused) {
  const fs::path path = write("set/definition.json", definition);
  for (const char* bad : {"../a.safetensors", "/a.safetensors", "a/../../b.safetensors", "secret.txt"}) {
    const fs::path workloads = write("set/workload.jsonl", workload + "\n" + workload_from(bad));
    const Error found = error(path);
    EXPECT_THAT(found.message, HasSubstr(bad));
    EXPECT_EQ(found.location.file, workloads.string());
    EXPECT_EQ(found.location.line, 2);
  }
  write("outside/a.safetensors", "x");
  fs::create_directory_symlink(folder() / "outside", folder() / "set/blob");
  write("set/workload.jsonl", workload_from("blob/a.safetensors"));
  EXPECT_THAT(error(path).message, HasSubstr("is a link"));
}

TEST_F(SetFilesTest, TensorsHaveALimit) {
  const fs::path path = write("definition.json", definition);
  write("workload.jsonl", workload_from("a.safetensors") + workload_from("b.safetensors"));
  for (const char* name : {"a.safetensors", "b.safetensors"}) {
    write(name, "");
    fs::resize_file(folder() / name, 33 << 20);
  }
  EXPECT_THAT(error(path).message, HasSubstr("larger than 64 MiB"));
}

TEST_F(SetFilesTest, BrokenJsonIsReportedWithItsLine) {
  const fs::path path = write("definition.json", "{\n\"axes\": {},\n\"inputs\": ]}");
  EXPECT_TRUE(is_set_path(path));
  EXPECT_EQ(error(path).location.line, 3);
  write("definition.json", definition);
  write("workload.jsonl", workload + "\n\n{\"axes\": \n");
  EXPECT_EQ(error(path).location.line, 3);
  write("workload.jsonl", "[]");
  EXPECT_THAT(error(path).message, HasSubstr("not a JSON object"));
  write("workload.jsonl", "{}");
  EXPECT_THAT(error(path).message, HasSubstr("no inputs"));
  write("definition.json", "{}");
  EXPECT_THAT(error(path).message, HasSubstr("'reference'"));
}

TEST_F(SetFilesTest, OnlyRegularFilesInUtf8AreTaken) {
  const fs::path path = write("definition.json", definition);
  const fs::path workloads = write("workload.jsonl", workload + "\n\"R\xe4ume\"");
  EXPECT_THAT(error(path).message, HasSubstr("not UTF-8: byte 0xe4"));
  EXPECT_EQ(error(path).location.line, 2);
  fs::remove(workloads);
  fs::create_symlink(path, workloads);
  EXPECT_THAT(error(path).message, HasSubstr("is a link"));
  fs::remove(workloads);
  fs::create_symlink("/dev/zero", workloads);
  EXPECT_THAT(error(path).message, HasSubstr("is a link"));
  fs::remove(workloads);
  write("workload.jsonl", "");
  fs::resize_file(workloads, 17 << 20);
  EXPECT_THAT(error(path).message, HasSubstr("larger than 16 MiB"));
}

const std::string task = R"(# a task
files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "utils.py", "source": "../utils.py"}
  - {"name": "reference.py", "source": "reference.py"}
  - {"name": "extra.py", "source": "../shared/more.py"}
  - {"name": "eval.py", "source": "../eval.py"}
description: |
  One line: with a colon
  ---
tests:
  - {"n": 1_024, "scale": 1e-2, "on": yes, "text": "12", "none": ~, kind: dense}
ranking_by: geom
timeout: -.5
)";

TEST_F(SetFilesTest, ATaskWithItsReference) {
  const fs::path path = write("tasks/vector-add_py/task.yml", task);
  EXPECT_THAT(error(path).location.file, HasSubstr("more.py"));
  write("tasks/shared/more.py", "more = 1\n");
  EXPECT_THAT(error(path), AllOf(::testing::Field(&Error::message, HasSubstr("no such file")),
                                 ::testing::Field(&Error::remedy, HasSubstr("reference.py"))));
  const fs::path reference = write("tasks/vector-add_py/reference.py", "def ref_kernel(data): pass\n");
  const SetText found = read(path);
  EXPECT_EQ(found.set, "gpu_mode");
  EXPECT_EQ(found.slug, "vector-add-py");
  EXPECT_THAT(found.text, StartsWith("def ref_kernel(data): pass\n"));
  const json given = argument_of(found)["files"];
  EXPECT_EQ(given["extra.py"], "more = 1\n");
  EXPECT_EQ(given.size(), 2);
  const json read_task = json::parse(given["task"].get<std::string>());
  EXPECT_EQ(read_task["tests"][0], json::parse(R"({"n": 1024, "scale": 0.01, "on": true, "text": "12",
                                                   "none": null, "kind": "dense"})"));
  EXPECT_EQ(read_task["description"], "One line: with a colon\n---\n");
  EXPECT_EQ(read_task["timeout"], -0.5);
  EXPECT_EQ(read(path.parent_path()).text, found.text);
  EXPECT_EQ(read(reference).text, found.text);
}

TEST_F(SetFilesTest, YamlThatIsNoDataIsRefused) {
  const fs::path path = write("task.yml", "a: 1\nb: !!python/object:os.system x\n");
  EXPECT_THAT(error(path).message, HasSubstr("a YAML tag"));
  EXPECT_EQ(error(path).location.line, 2);
  write("task.yml", "a: [1\n");
  EXPECT_THAT(error(path).message, HasSubstr("broken YAML"));
  write("task.yml", "a: 1\na: 2\n");
  EXPECT_THAT(error(path).message, HasSubstr("doubled"));
  write("task.yml", "");
  EXPECT_THAT(error(path).message, HasSubstr("no keys"));
  write("task.yml", "files:\n  - {name: more.py, source: ../../../more.py}\n");
  EXPECT_THAT(error(path).message, HasSubstr("too far"));
}

TEST_F(SetFilesTest, AModelWithGroupsOfInputs) {
  const fs::path path = write("npu_level0/10_relu.py", model + "def get_input_groups():\n    return []\n");
  EXPECT_EQ(files(path), json::object());
  write("npu_level0/10_relu.json", "{}\n{}\n");
  EXPECT_EQ(files(path), (json{{"10_relu.json", "{}\n{}\n"}}));
  EXPECT_EQ(read(path).set, "multi_kernel_bench");
  EXPECT_EQ(read(path).slug, "10-relu");
}

TEST_F(SetFilesTest, AModelWithShapes) {
  const fs::path path = write("01_gemm/reference.py", model);
  EXPECT_FALSE(is_set_path(path));
  write("01_gemm/shapes.py", "SHAPES = []\n");
  EXPECT_EQ(files(path), (json{{"shapes", "SHAPES = []\n"}}));
  EXPECT_FALSE(is_set_path(path.parent_path()));
  write("01_gemm/problem.yaml", "tolerance: {bfloat16: 2.5e-2}\n");
  EXPECT_EQ(files(path.parent_path())["problem"], R"({"tolerance":{"bfloat16":0.025}})");
  EXPECT_EQ(read(path).set, "kernelbench_v3");
  EXPECT_EQ(read(path).slug, "01-gemm");
  EXPECT_EQ(read(folder() / "01_gemm/problem.yaml").text, read(path).text);
}

TEST_F(SetFilesTest, AModelWithConfigurations) {
  const std::string source = "def forward_fn(x): return x\n" + model;
  const fs::path forward = write("layer_norm/func_forward.py", source);
  const fs::path backward = write("layer_norm/func_backward.py", source);
  EXPECT_FALSE(is_set_path(forward));
  write("layer_norm/config_forward.json", "{}");
  write("layer_norm/config_backward.json", "{\"a\": 1}");
  EXPECT_EQ(files(backward), (json{{"config", "{\"a\": 1}"}}));
  EXPECT_EQ(read(backward).slug, "layer-norm-backward");
  EXPECT_EQ(read(forward).slug, "layer-norm");
  EXPECT_EQ(read(forward).set, "robust_kbench");
  EXPECT_EQ(read(forward.parent_path()).text, read(forward).text);
}

TEST_F(SetFilesTest, TestsAtTheEndAreCutOff) {
  const std::string above =
      "import torch\n" + std::string(90, '#') + "\ndef add(x): return x\n" + std::string(146, '#');
  const fs::path path =
      write("add_value.py", above + "\n\ndef test_add():\n    return {}\n\nresult = test_add()\n");
  const SetText found = read(path);
  EXPECT_EQ(found.set, "triton_bench");
  EXPECT_EQ(found.slug, "add-value");
  EXPECT_THAT(found.text, StartsWith(above + "\n\nfrom kgrade_python"));
  EXPECT_EQ(argument_of(found)["files"]["tests"],
            "\n\ndef test_add():\n    return {}\n\nresult = test_add()\n");
}

TEST_F(SetFilesTest, OtherFilesAreOfNoSet) {
  EXPECT_FALSE(is_set_path(write("23_Softmax.py", model + "def get_inputs(): return []\n")));
  EXPECT_FALSE(is_set_path(write("long.py", std::string(120, '#') + "\nx = 1\n")));
  EXPECT_FALSE(is_set_path(write("tested.py", complete + "\n" + tests)));
  EXPECT_FALSE(is_set_path(write("grouped.py", complete + "def get_input_groups(): return []\n")));
  EXPECT_FALSE(is_set_path(write("solution.json", R"({"spec": {}, "sources": []})")));
  EXPECT_FALSE(is_set_path(write("broken.json", "{")));
  EXPECT_FALSE(is_set_path(write("problem.md", "---\nslug: a\n---\n")));
  EXPECT_FALSE(is_set_path(folder()));
  EXPECT_FALSE(is_set_path(folder() / "missing.py"));
  EXPECT_THAT(error(folder() / "problem.md").message, HasSubstr("no problem of a set"));
}

TEST_F(SetFilesTest, WhatAFileAloneLacksIsSaid) {
  EXPECT_FALSE(lacking_of_set("a.py", complete + "\n" + tests));
  EXPECT_FALSE(lacking_of_set("a.py", complete + "def get_input_groups(): pass\n"));
  EXPECT_THAT(lacking_of_set("a.py", "def add(x): pass\n" + tests), Optional(HasSubstr("TritonBench")));
  EXPECT_THAT(lacking_of_set("a.py", model + "def get_input_groups(): pass\n"), Optional(HasSubstr(".json")));
  EXPECT_THAT(lacking_of_set("reference.py", "def ref_kernel(data): pass\n"),
              Optional(HasSubstr("task.yml")));
  EXPECT_THAT(lacking_of_set("func_forward.py", model + "def forward_fn(x): pass\n"),
              Optional(HasSubstr("config_")));
  EXPECT_FALSE(lacking_of_set("reference.py", model));
  EXPECT_FALSE(lacking_of_set("mine.py", model + "def forward_fn(x): pass\n"));
  EXPECT_FALSE(lacking_of_set("a.py", "def test_add(): pass\n" + std::string(120, '#') + "\n"));
  write("task/task.yml", "tests:\n  - {size: 3}\n");
  write("task/reference.py", "def ref_kernel(data): pass\n");
  EXPECT_FALSE(lacking_of_set("task.py", read(folder() / "task").text)) << "the file that is made is whole";
}

TEST_F(SetFilesTest, WhatAFolderLacksIsSaid) {
  EXPECT_THAT(error(folder() / "none").message, HasSubstr("no such file or folder"));
  EXPECT_THAT(error(folder()).message, HasSubstr("no problem of a set"));
  write("a/reference.py", model);
  EXPECT_THAT(error(folder() / "a").message, HasSubstr("reference.py and no task.yml or problem.yaml"));
  EXPECT_THAT(error(write("a/other.json", "{}")).message, HasSubstr("no problem of a set"));
  EXPECT_THAT(error(write("b/workload.jsonl", workload)).message, HasSubstr("no definition.json"));
  for (const char* name : {"a", "a/other.json", "b/workload.jsonl", "none.yaml"})
    EXPECT_TRUE(may_be_set_path(folder() / name)) << name;
  EXPECT_FALSE(may_be_set_path(folder() / "a/reference.py"));
}

}  // namespace set_files_test
}  // namespace kgrade::test
