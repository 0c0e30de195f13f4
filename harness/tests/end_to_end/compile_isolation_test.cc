// What a candidate can and cannot reach while it is compiled: the real binary on hostile sources.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "sandbox/sandbox.h"
#include "tests/support/command.h"
#include "tests/support/ended.h"

namespace kgrade::test::compile_isolation_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string slug = "conv-transpose-2d-sq-input-asym-kernel";
const fs::path repository = KGRADE_SOURCE_DIR;
const fs::path reference = repository / "reference" / (slug + ".cu");
const fs::path problem = repository / "problems" / (slug + ".md");

std::string naive_source() {
  std::ifstream stream(repository / "solutions" / slug / "naive.cu");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// A folder with candidates in it, graded in one run.
class CompileIsolation : public testing::Test {
 protected:
  void SetUp() override {
    if (!Sandbox::probe(KGRADE_LAUNCHER).confines()) GTEST_SKIP() << "this machine allows no namespaces";
  }

  void write(const std::string& name, const std::string& text) const {
    const fs::path path = folder() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  fs::path folder() const { return scratch_.directory(); }

  // The naive solution after some lines of attack.
  void add(const std::string& name, const std::string& lines, const std::string& message) {
    write(name + ".cu", lines + "\n" + naive_source());
    messages_.emplace_back(name + ".cu", message);
  }

  json graded_candidates() const {
    std::vector<std::string> arguments = {slug, "--case", "tiny"};
    for (const auto& [name, message] : messages_) arguments.push_back((folder() / name).string());
    const Graded graded = grade(arguments, "emulated");
    EXPECT_TRUE(graded.record.is_object()) << graded.output;
    EXPECT_THAT(graded.left_behind, testing::IsEmpty());
    if (!graded.record.is_object()) return json::array();
    EXPECT_EQ(graded.record["candidates"].size(), messages_.size());
    return graded.record["candidates"];
  }

  // Each a compile error with its message.
  void expect_refused() const {
    const json candidates = graded_candidates();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_EQ(candidates[i]["verdict"], "compile_error") << messages_[i].first;
      EXPECT_THAT(candidates[i]["message"].get<std::string>(), HasSubstr(messages_[i].second))
          << messages_[i].first;
    }
  }

  void expect_accepted() const {
    for (const json& candidate : graded_candidates()) {
      EXPECT_EQ(candidate["verdict"], "accepted") << candidate["path"] << ": " << candidate["message"];
    }
  }

 private:
  ScratchFile scratch_{"other.cu", "// Another candidate.\n" + naive_source()};
  std::vector<std::pair<std::string, std::string>> messages_;
};

std::string missing(const std::string& name) {
  return "fatal error: " + name + ": No such file or directory";
}

std::string include(const std::string& name) { return "#include \"" + name + "\""; }

// Bypasses the emulated device's refusal of inline assembly, and reaches the host's assembler.
std::string assemble(const std::string& text) { return "#define ASSEMBLE asm\nASSEMBLE(\"" + text + "\");"; }

TEST_F(CompileIsolation, AcceptsACandidateWithHeadersOfItsOwn) {
  write("own.cuh", "#pragma once\n#include \"sub/deep.cuh\"\n");
  write("sub/deep.cuh", "#pragma once\n#include \"../own.cuh\"\n#include \"beside.h\"\n");
  write("sub/beside.h", "#pragma once\nconstexpr int beside = 3;\n");
  add("honest",
      "#include \"own.cuh\"\n#include <sub/beside.h>\n#include <vector>\nstatic_assert(beside == 3);", "");
  expect_accepted();
}

TEST_F(CompileIsolation, ShowsNeitherReferenceNorProblemNorOtherCandidates) {
  const std::string relative = fs::relative(reference, fs::canonical(folder())).string();
  const std::string operators = (repository / "reference/ops/types.cuh").string();
  add("relative", include(relative), missing(relative));
  add("absolute", include(reference.string()), missing(reference.string()));
  add("operators", include(operators), missing(operators));
  add("another", include("other.cu"), missing("other.cu"));
  add("another_by_angle", "#include <other.cu>", missing("other.cu"));
  add("next", "#include_next <" + operators + ">", missing(operators));
  add("by_macro", "#define NAME \"" + operators + "\"\n#include NAME", missing(operators));
  add("dependency", "#pragma GCC dependency \"" + operators + "\"", missing(operators));
  add("problem", assemble(".incbin \\\"" + problem.string() + "\\\""), "file not found: " + problem.string());
  add("by_section",
      "__attribute__((section(\".data\\n.incbin \\\"" + reference.string() + "\\\"\\n#\"))) int q = 1;",
      "file not found: " + reference.string());
  fs::create_symlink(operators, folder() / "link.cuh");
  add("link", include("link.cuh"),
      missing("link.cuh") + "; 'link.cuh' is a link that leads out of the folder of the source");
  expect_refused();
}

TEST_F(CompileIsolation, ShowsNothingOfTheMachine) {
  const std::string climbing = "../../../../../../../../../../etc/passwd";
  add("users", include("/etc/passwd"), missing("/etc/passwd"));
  add("users_by_incbin", assemble(".incbin \\\"/etc/passwd\\\""), "file not found: /etc/passwd");
  add("users_by_assembler", assemble(".include \\\"/etc/passwd\\\""), "can't open /etc/passwd");
  add("environment", include("/proc/self/environ"), missing("/proc/self/environ"));
  add("climbing", include(climbing), missing(climbing));
  expect_refused();
}

TEST_F(CompileIsolation, TellsNotEvenWhatExists) {
  std::string probes;
  for (const std::string& name :
       {fs::relative(reference, fs::canonical(folder())).string(), reference.string(), problem.string(),
        std::string("other.cu"), (folder() / "other.cu").string(), std::string("/etc/passwd"),
        std::string("/etc/hostname"), std::string("/proc/self/status"), std::string("/proc/1/environ"),
        std::string(KGRADE_PROGRAM), (repository / "CMakeLists.txt").string()}) {
    probes += "#if __has_include(\"" + name + "\")\n#error it sees " + name + "\n#endif\n";
    probes += "#ifdef __has_embed\n#if __has_embed(\"" + name + "\")\n#error it embeds " + name +
              "\n#endif\n#endif\n";
  }
  add("probes", probes, "");
  expect_accepted();
}

TEST_F(CompileIsolation, EndsWhatHasNoEnd) {
  const std::string memory =
      "the compiler was stopped: it needed more than the 4.0 GiB of memory that it may have";
  add("zeros", include("/dev/zero"), memory);
  add("deep_template", "template <int N> struct Deep : Deep<N + 1> {};\nDeep<0> deep;",
      "template instantiation depth");
  std::string laughs = "#define A0 x, x, x, x, x, x, x, x, x, x\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    laughs += "#define A" + std::to_string(i) + " " + before;
    for (int j = 1; j < 10; ++j) laughs += ", " + before;
    laughs += "\n";
  }
  add("macros", laughs + "int x;\nint laugh[] = {A8};", memory);
  add("huge_array", "__attribute__((used)) char huge[1u << 30] = {1};",
      "the compiler was stopped: it wrote a file larger than 256 MiB");
  expect_refused();
}

// One candidate that is wrong in itself has its verdict, and the others are graded.

const std::string float32_slug = "conv-standard-1d";  // of float32 alone

class OwnFaults : public testing::Test {
 protected:
  OwnFaults() {
    fs::create_directory(folder());
    write("good.cu", "");
    write("half.cu", "// kgrade: dtype float16\n");
    write("nonsense.cu", "// Text.\n// kgrade: nonsense\n");
    write("large.cu", "");
    fs::resize_file(folder() / "large.cu", (16 << 20) + 1);
  }

  fs::path folder() const { return root_.path() / float32_slug; }

  void write(const std::string& name, const std::string& first_lines) const {
    std::ofstream(folder() / name) << first_lines
                                   << *read_text_file(fs::path(KGRADE_SOURCE_DIR) / "solutions" /
                                                      float32_slug / "naive.cu");
  }

  Result sweep(const std::string& more = "--overwrite") const {
    return kgrade({"sweep", "--only", float32_slug, "--solutions", folder() / "*.cu", "--device", "emulated",
                   "--jobs", "1", "--hidden", "0", "--output", root_.path() / "results.jsonl", more});
  }

  const TemporaryDirectory root_;
};

TEST_F(OwnFaults, AreVerdictsOfAGrade) {
  const Result result = kgrade({"grade", float32_slug, folder() / "half.cu", folder() / "good.cu",
                                folder() / "nonsense.cu", folder() / "large.cu", "--case", "tiny", "--device",
                                "emulated", "--json", root_.path() / "record.json"});
  EXPECT_EQ(result.exit_code, 1) << result.output;
  const auto record = nlohmann::json::parse(std::ifstream(root_.path() / "record.json"), nullptr, false);
  ASSERT_TRUE(record.is_object()) << result.output;
  const auto& candidates = record["candidates"];
  ASSERT_EQ(candidates.size(), 4u);
  const auto expect = [&](int number, const char* verdict, const char* message) {
    EXPECT_EQ(candidates[number]["verdict"], verdict);
    EXPECT_THAT(candidates[number]["message"].get<std::string>(), HasSubstr(message));
  };
  expect(0, "compile_error", "the candidate is for float16: ");
  expect(1, "accepted", "");
  expect(2, "compile_error", "line 2: this line says nothing that is known");
  expect(3, "compile_error", "large.cu is larger than 16 MiB");
}

TEST_F(OwnFaults, AreVerdictsOfASweepThatResumeKnows) {
  EXPECT_THAT(sweep(),
              Ended(0, HasSubstr("4 candidates: 1 accepted, 3 not; "), Not(HasSubstr("not graded"))));
  EXPECT_THAT(sweep("--resume").output, HasSubstr("4 of them from before"));
}

TEST_F(OwnFaults, AFileThatCannotBeReadIsNoFaultOfKgrade) {
  fs::create_symlink("nowhere.cu", folder() / "dangling.cu");
  EXPECT_THAT(sweep(), Ended(2, HasSubstr("5 candidates: 1 accepted, 3 not, 1 without a verdict")));
}

TEST_F(OwnFaults, ANameIsAnyBytes) {
  for (const char* name : {"half.cu", "nonsense.cu", "large.cu"}) fs::remove(folder() / name);
  write("gr\xfc\xdf.cu", "");
  write("-dash.cu", "");
  EXPECT_THAT(sweep(), Ended(0, HasSubstr("3 candidates: 3 accepted, 0 not")));
  EXPECT_THAT(sweep("--resume").output, HasSubstr("3 of them from before"));
}

TEST_F(OwnFaults, ANameMayBeginAsOptionsDo) {
  write("-dash.cu", "");
  const auto run = [&](const std::string& command, const std::string& arguments) {
    const std::string line = "cd '" + folder().string() + "' && exec '" KGRADE_PROGRAM "' " + command + " " +
                             float32_slug + " --device emulated --case tiny " + arguments;
    return kgrade({"-c", line}, {"/bin/sh", {}});
  };
  for (const char* command : {"grade", "check"}) {
    for (const char* arguments : {"-- -dash.cu", "./-dash.cu"}) {
      EXPECT_THAT(run(command, arguments), Ended(0));
    }
  }
  EXPECT_THAT(run("grade", "-dash.cu"),
              Ended(2, HasSubstr("error: '-dash.cu' is read as an option\n  hint: write ./-dash.cu")));
}

// Single precision cannot sum so many terms of nearly one size one by one: each is rounded to a quarter in
// the end.
TEST(OwnFaultsOfAProblem, AReferenceThatIsImpreciseIsFoundByLintAndNoFaultOfKgrade) {
  const TemporaryDirectory root;
  for (const char* part : {"problems", "reference"}) fs::create_directory(root.path() / part);
  const fs::path file = root.path() / "problems/sum-all.md";
  std::ofstream(file) << R"yaml(---
slug: sum-all
title: Sum
difficulty: EASY
parameters:
  - {name: input, type: "[VAR]", pointer: true, const: true, shape: [n], init: "uniform(0.9, 1)"}
  - {name: output, type: "[VAR]", pointer: true, const: false, shape: [1]}
  - {name: n, type: size_t, pointer: false}
dtypes: [float32]
require:
  - n >= 1
flops: n
cases:
  - {name: tiny, role: sample, n: 3}
  - {name: small, role: test, n: 330}
  - {name: large, role: bench, n: 4194304}
---
Sum all elements.
)yaml";
  const auto source = [](const std::string& type) {
    return "__global__ void sum(const float* input, float* output, size_t n) {\n  " + type +
           " total = 0;\n  for (size_t i = 0; i < n; ++i) total += input[i];\n  output[0] = total;\n}\n"
           "extern \"C\" void solution(const float* input, float* output, size_t n) {\n"
           "  sum<<<1, 1>>>(input, output, n);\n}\n";
  };
  std::ofstream(root.path() / "reference/sum-all.cu") << source("KGRADE_ACCUMULATOR");
  std::ofstream(root.path() / "right.cu") << source("double");
  EXPECT_THAT(kgrade({"lint", file, "--device", "emulated"}),
              Ended(2, HasSubstr("sum-all.md:16:5: error: case 'large': in single precision the reference's "
                                 "'output' is off from the oracle's: the error is ")));
  EXPECT_THAT(kgrade({"grade", "sum-all", root.path() / "right.cu", "--problems", root.path() / "problems",
                      "--case", "large", "--device", "emulated"}),
              Ended(2,
                    HasSubstr("sum-all.md:16:5: error: the reference fails on case 'large': in single "
                              "precision 'output' is off by "),
                    Not(HasSubstr("report it"))));
}

}  // namespace kgrade::test::compile_isolation_test
