// A file in KernelBench's form that has been read before is not read again, and nothing is started for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/module_file.h"

namespace kgrade::module_description_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* description = R"({"title": "Twice", "positional": [], "keywords": {},
  "forward": [{"input": "x"}],
  "inputs": [{"name": "x", "shape": [16], "dtype": "float32",
              "draw": {"kind": "uniform", "first": 0, "second": 1}}],
  "weights": [], "buffers": [], "outputs": [{"name": "output", "shape": [16], "dtype": "float32"}],
  "mode": "train", "notes": []})";

// An interpreter that knows the answer, and a launcher of the sandbox that works nowhere. Each leaves a line
// in `started` when it is asked for more than its version.
class ModuleDescription : public testing::Test {
 protected:
  ModuleDescription() {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) saved_ = value;
    ::setenv("XDG_CACHE_HOME", at("cache").c_str(), 1);
    fs::create_directories(at("tools/kgrade_python"));
    std::ofstream(at("description.json")) << description;
    program("python",
            "case \"$*\" in *importlib*) echo; echo 'kgrade-python {\"program\": \"" + at("python").string() +
                "\", \"version\": \"3.11.7\", \"torch\": \"2.11.0\", \"cuda\": \"\", \"triton\": \"\", "
                "\"torch_folder\": \"/\", \"include\": \"\", \"readable\": []}'; exit;; esac\n"
                "for answer; do :; done\necho python >>" +
                at("started").string() + "\ncat " + at("description.json").string() + " >\"$answer\"\n");
    program("launcher", "echo launcher >>" + at("started").string() + "\nexit 1\n");
    layout_.python = at("tools");
    layout_.launcher = at("launcher");
    write("level1/1_Twice.py", "class Model: pass\n");
  }

  ~ModuleDescription() override {
    if (saved_.empty()) ::unsetenv("XDG_CACHE_HOME");
    if (!saved_.empty()) ::setenv("XDG_CACHE_HOME", saved_.c_str(), 1);
  }

  fs::path at(const std::string& name) const { return folder_.path() / name; }

  void write(const std::string& name, const std::string& content) const {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << content;
  }

  void program(const std::string& name, const std::string& script) const {
    write(name, "#!/bin/sh\n" + script);
    fs::permissions(at(name), fs::perms::owner_all);
  }

  std::string described(const std::string& name) const {
    const auto text = describe_module_file(at(name), at("python"), layout_);
    return text ? *text : to_string(text.errors());
  }

  // Since the last call.
  std::string started() const {
    const auto lines = read_text_file(at("started"));
    fs::remove(at("started"));
    return lines ? *lines : "";
  }

  TemporaryDirectory folder_;
  Layout layout_;
  std::string saved_;
};

TEST_F(ModuleDescription, IsKeptByTheHashOfTheFile) {
  EXPECT_THAT(described("level1/1_Twice.py"), HasSubstr("slug: level1-1-twice"));
  EXPECT_THAT(started(), HasSubstr("python"));
  EXPECT_THAT(described("level1/1_Twice.py"), HasSubstr("slug: level1-1-twice"));
  EXPECT_EQ(started(), "");
  write("level1/2_Same.py", "class Model: pass\n");
  EXPECT_THAT(described("level1/2_Same.py"), HasSubstr("slug: level1-2-same"));
  EXPECT_EQ(started(), "");
  write("level1/1_Twice.py", "class Model: pass  # edited\n");
  EXPECT_THAT(described("level1/1_Twice.py"), HasSubstr("slug: level1-1-twice"));
  EXPECT_THAT(started(), HasSubstr("python"));
}

}  // namespace kgrade::module_description_test
