// Which Python runs Python candidates: programs that answer in all ways, and a real one.
#include "compile/python_interpreter.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade::python_interpreter_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class FindPython : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"PATH", "KGRADE_PYTHON"}) {
      const char* value = std::getenv(name);
      saved_.emplace_back(name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
    }
    ::setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1);
    ::unsetenv("KGRADE_PYTHON");
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      if (value) ::setenv(name.c_str(), value->c_str(), 1);
      if (!value) ::unsetenv(name.c_str());
    }
  }

  fs::path at(const std::string& name) const { return resolved(folder_.path()) / name; }

  // A shell script in PATH.
  fs::path program(const std::string& name, const std::string& script) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << "#!/bin/sh\n" << script;
    fs::permissions(at(name), fs::perms::owner_all);
    return at(name);
  }

  // One that gives this answer, with other values for some keys.
  fs::path answering(const std::string& name, const std::string& version = "3.11.7",
                     const std::string& torch = "2.11.0+cu130", const std::string& cuda = "13.0") {
    return program(name, "echo hello\necho 'kgrade-python " + answer(version, torch, cuda) + "'\n");
  }

  std::string answer(const std::string& version, const std::string& torch, const std::string& cuda) const {
    return R"({"program": ")" + at("real/bin/python3").string() + R"(", "version": ")" + version +
           R"(", "torch": ")" + torch + R"(", "cuda": ")" + cuda +
           R"(", "triton": "3.6.0", "torch_folder": ")" + at("lib/torch").string() + R"(", "readable": [")" +
           at("lib/torch").string() + R"(", ")" + at("lib").string() + R"(", "/", "relative", ")" +
           at("no such").string() + R"("]})";
  }

  TemporaryDirectory folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

TEST_F(FindPython, TakesWhatTheInterpreterSaysOfItself) {
  fs::create_directories(at("lib/torch"));
  answering("python3");
  const auto python = find_python();
  ASSERT_TRUE(python) << to_string(python.errors());
  EXPECT_EQ(python->program, at("real/bin/python3"));
  EXPECT_EQ(python->version, "3.11.7");
  EXPECT_EQ(python->torch_version, "2.11.0");
  EXPECT_EQ(python->torch_cuda_version, "13.0");
  EXPECT_EQ(python->triton_version, "3.6.0");
  EXPECT_EQ(python->torch_folder, at("lib/torch"));
  // Neither what is not there, nor what is in another, nor the whole file system.
  EXPECT_THAT(python->readable, ElementsAre(at("lib")));
  EXPECT_TRUE(find_python_with_torch());
}

TEST_F(FindPython, PrefersTheOptionToTheVariableToThePath) {
  answering("python3", "3.9.0");
  answering("of_variable", "3.10.0");
  answering("of_option", "3.12.0");
  EXPECT_EQ(find_python()->version, "3.9.0");
  ::setenv("KGRADE_PYTHON", at("of_variable").c_str(), 1);
  EXPECT_EQ(find_python()->version, "3.10.0");
  EXPECT_EQ(find_python(at("of_option"))->version, "3.12.0");
  EXPECT_EQ(find_python("of_option")->version, "3.12.0");
  ::setenv("KGRADE_PYTHON", "", 1);
  EXPECT_EQ(find_python()->version, "3.9.0");
}

TEST_F(FindPython, SaysWhoseChoiceIsNoProgram) {
  EXPECT_THAT(find_python("no/such").error().message, StartsWith("--python: 'no/such' is no program"));
  EXPECT_THAT(find_python(folder_.path()).error().message, HasSubstr("is a folder"));
  ::setenv("KGRADE_PYTHON", "no/such", 1);
  EXPECT_THAT(find_python().error().message, StartsWith("KGRADE_PYTHON: 'no/such' is no program"));
  ::unsetenv("KGRADE_PYTHON");
  ::setenv("PATH", "/no/such/folder", 1);
  EXPECT_EQ(find_python().error().message, "there is no python3 in PATH");
}

TEST_F(FindPython, GivesUpOnOneThatDoesNotAnswer) {
  const auto python = find_python(program("slow", "sleep 60\n"), std::chrono::seconds(1));
  ASSERT_FALSE(python);
  EXPECT_THAT(python.error().message, HasSubstr("it did not answer in time"));
  EXPECT_THAT(python.error().remedy, HasSubstr("--python"));
}

TEST_F(FindPython, RefusesAnAnswerThatIsNone) {
  const std::string good = answer("3.11.7", "", "");
  for (const std::string& said :
       {std::string("hello"), std::string("kgrade-python"), std::string("kgrade-python {}"),
        std::string("kgrade-python []"), std::string("kgrade-python {\"program\": 3}"),
        "kgrade-python " + good.substr(0, good.size() - 1), "x kgrade-python " + good,
        "kgrade-python " + answer("three", "", ""),
        "kgrade-python " + replace_all(good, at("real").string(), "real"),
        std::string("\33[2J\1\2\377 kgrade-python")}) {
    const auto python = find_python(program("odd", "echo first\ncat <<'END'\n" + said + "\nEND\n"));
    ASSERT_FALSE(python) << said;
    EXPECT_THAT(python.error().message,
                AllOf(HasSubstr("does not work as Python 3"), HasSubstr("first"), Not(HasSubstr("\33"))));
  }
}

TEST_F(FindPython, QuotesTheFirstLineOfAFailure) {
  program("broken", "printf 'no module \\033[31mencodings\\nsecond line\\n' >&2\nexit 3\n");
  const auto python = find_python("broken");
  ASSERT_FALSE(python);
  EXPECT_THAT(python.error().message, AllOf(HasSubstr("exit code 3, \"no module \\x1b[31mencodings\""),
                                            Not(HasSubstr("second line"))));
}

TEST_F(FindPython, IsNotImpressedByEndlessOutput) {
  EXPECT_FALSE(find_python(program("loud", "exec yes kgrade-python '{}'\n"), std::chrono::seconds(1)));
}

TEST_F(FindPython, NamesWhatPythonCandidatesLack) {
  answering("old", "3.8.10");
  EXPECT_EQ(find_python_with_torch("old").error().message,
            "Python 3.8.10 (" + at("real/bin/python3").string() +
                ") is too old for Python candidates, which need Python 3.9 or later");
  answering("bare", "3.11.7", "");
  const auto bare = find_python_with_torch("bare");
  EXPECT_EQ(bare.error().message,
            "PyTorch is not installed for Python 3.11.7 (" + at("real/bin/python3").string() + ")");
  EXPECT_EQ(bare.error().remedy, "run `" + at("real/bin/python3").string() +
                                     " -m pip install torch`, or name another Python with --python");
  EXPECT_TRUE(find_python("bare"));
  answering("early", "3.11.7", "1.13.1");
  EXPECT_THAT(find_python_with_torch("early").error().message, HasSubstr("PyTorch 1.13.1 of Python 3.11.7"));
}

TEST_F(FindPython, ComparesCudaVersions) {
  const auto match = [&](const std::string& torch, const std::string& nvcc) {
    PythonInterpreter python;
    python.torch_cuda_version = torch;
    return match_cuda(python, nvcc);
  };
  EXPECT_EQ(match("13.0", "13.0.88"), CudaMatch::same);
  EXPECT_EQ(match("13.2", "13.0.88"), CudaMatch::other_minor);
  EXPECT_EQ(match("12.8", "13.0.88"), CudaMatch::other_major);
  EXPECT_EQ(match("", "13.0.88"), CudaMatch::unknown);
  EXPECT_EQ(match("13.0", "unknown"), CudaMatch::unknown);
}

// A real interpreter, with packages that only look like PyTorch and Triton: they are never imported.
class RealPython : public FindPython {
 protected:
  void SetUp() override {
    FindPython::SetUp();
    const auto python = find_program("python3");
    if (!python) GTEST_SKIP() << "needs python3";
    ProcessRequest request;
    request.command = {python->string(), "-m", "venv", "--without-pip", at("venv").string()};
    request.environment = whole_environment();
    const auto outcome = run_process(request);
    if (!outcome || !outcome->success()) GTEST_SKIP() << "needs Python's module venv";
    for (const auto& entry : fs::directory_iterator(at("venv/lib")))
      packages_ = entry.path() / "site-packages";
  }

  void package(const std::string& name, const std::string& file, const std::string& text) {
    fs::create_directories(packages_ / name);
    std::ofstream(packages_ / name / "__init__.py") << "raise SystemExit('imported')\n";
    std::ofstream(packages_ / name / file) << text;
  }

  fs::path packages_;
};

TEST_F(RealPython, IsAskedWithoutImportingAnything) {
  package("torch", "version.py",
          "from typing import Optional\n__version__ = '2.11.0+cu130'\ncuda: Optional[str] = '13.0'\n");
  package("triton", "__init__.py", "__version__ = '3.6.0'\nraise SystemExit('imported')\n");
  const auto python = find_python(at("venv/bin/python"));
  ASSERT_TRUE(python) << to_string(python.errors());
  EXPECT_EQ(python->program, at("venv/bin/python"));
  EXPECT_EQ(python->torch_version, "2.11.0");
  EXPECT_EQ(python->torch_cuda_version, "13.0");
  EXPECT_EQ(python->triton_version, "3.6.0");
  EXPECT_EQ(python->torch_folder, packages_ / "torch");
  // The environment, and what it was made from: the standard library is there.
  EXPECT_THAT(python->readable, AllOf(Contains(at("venv/lib")), Contains(at("venv/pyvenv.cfg")),
                                      Not(Contains(folder_.path()))));
  EXPECT_GT(python->readable.size(), 3u);
  EXPECT_TRUE(find_python_with_torch(at("venv/bin/python")));
}

TEST_F(RealPython, MayHaveABuildWithoutCudaOrNoPyTorch) {
  EXPECT_EQ(find_python(at("venv/bin/python"))->torch_version, "");
  package("torch", "version.py", "__version__ = '2.11.0+cpu'\ncuda: Optional[str] = None\n");
  const auto python = find_python(at("venv/bin/python"));
  EXPECT_EQ(python->torch_version, "2.11.0");
  EXPECT_EQ(python->torch_cuda_version, "");
}

TEST_F(RealPython, IsTheOneBehindAScript) {
  program("shim", "exec '" + at("venv/bin/python").string() + "' \"$@\"\n");
  EXPECT_EQ(find_python("shim")->program, at("venv/bin/python"));
}

TEST_F(RealPython, IsNotLedAstrayByTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  std::ofstream("json.py") << "raise SystemExit('imported')\n";
  const auto python = find_python(at("venv/bin/python"));
  fs::current_path(before);
  EXPECT_TRUE(python);
}

}  // namespace kgrade::python_interpreter_test
