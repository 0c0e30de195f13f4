// Candidates in Python where PyTorch is missing: what else there is to grade is graded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/support/command.h"

namespace kgrade::test::without_pytorch_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const std::string slug = "conv-depthwise-2d-square-input-asym-kernel";

class WithoutPyTorch : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_.path() / slug);
    std::ofstream(at("mine.py")) << "def solution(input, kernel):\n    return input\n";
    std::ofstream(at("plain.cu")) << *read_text_file(fs::path(KGRADE_SOURCE_DIR) / "solutions" / slug /
                                                     "naive.cu");
    // Answers as a Python without PyTorch does.
    std::ofstream(python())
        << "#!/bin/sh\necho\necho 'kgrade-python {\"program\": \"/opt/bin/python3\", \"version\": "
           "\"3.11.7\", "
           "\"torch\": \"\", \"cuda\": \"\", \"triton\": \"\", \"torch_folder\": \"\", \"include\": \"\", "
           "\"readable\": []}'\n";
    fs::permissions(python(), fs::perms::owner_all);
  }

  std::string at(const std::string& name) const { return (folder_.path() / slug / name).string(); }
  std::string python() const { return (folder_.path() / "python").string(); }

  TemporaryDirectory folder_;
};

// Without a name the others are graded: tests/sweep/sweep_test.cc.
TEST_F(WithoutPyTorch, ASweepThatNamesOneGradesNothing) {
  const std::string results = (folder_.path() / "out.jsonl").string();
  const Result result = kgrade({"sweep", "--device", "emulated", "--only", slug, "--solutions", at("*"),
                                "--hidden", "0", "--jobs", "1", "--python", python(), "--output", results});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("PyTorch is not installed for Python 3.11.7 (/opt/bin/python3)"),
                                   HasSubstr("run `/opt/bin/python3 -m pip install torch`")));
  std::ifstream lines(results);
  std::string line;
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST_F(WithoutPyTorch, BaselinesAreLeftOutAndTheRecordSaysWhy) {
  const std::string measured = "harness/tests/measured";
  const Result result = kgrade({"grade", "linear", measured + "/candidates/linear.cu", "--problems",
                                measured + "/problems", "--device", "emulated", "--case", "large",
                                "--baselines", "pytorch", "--python", python(), "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("\"missing\": \"PyTorch's baselines: PyTorch is not installed for Python 3.11.7"),
            HasSubstr("run `/opt/bin/python3 -m pip install torch`")));
}

TEST_F(WithoutPyTorch, AProblemOfKernelBenchIsTheMachinesFault) {
  const std::string file = (folder_.path() / "level1" / "1_Relu.py").string();
  fs::create_directories(folder_.path() / "level1");
  std::ofstream(file) << "class Model: pass\n";
  fs::copy_file(at("mine.py"), folder_.path() / "level_1_problem_1_sample_0_kernel.py");
  const std::string results = (folder_.path() / "out.jsonl").string();
  const std::vector<std::vector<std::string>> commands = {
      {"grade", file, at("mine.py"), "--device", "emulated"},
      {"check", file, at("mine.py"), "--device", "emulated"},
      {"lint", file, "--device", "emulated"},
      {"calibrate", file, "--device", "emulated"},
      {"dump", file, "--case", "kernelbench", "--directory", at("dump"), "--device", "emulated"},
      {"show", file},
      {"import", file, "--output", at("imported")},
      {"sweep", "--problems", file, "--solutions", folder_.path().string(), "--device", "emulated",
       "--output", results}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--python", python()});
    const Result result = kgrade(command);
    EXPECT_EQ(result.exit_code, 3) << command.front() << ": " << result.output;
    const std::string message = "PyTorch is not installed for Python 3.11.7 (/opt/bin/python3)";
    const std::size_t first = result.output.find(message);
    EXPECT_NE(first, std::string::npos) << command.front() << ": " << result.output;
    EXPECT_EQ(result.output.find(message, first + 1), std::string::npos) << command.front() << ": said twice";
  }
}

TEST_F(WithoutPyTorch, AGradedFileIsTheMachinesFault) {
  const Result result =
      kgrade({"grade", slug, at("mine.py"), "--device", "emulated", "--case", "tiny", "--python", python()});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("PyTorch is not installed for Python 3.11.7"));
  EXPECT_EQ(
      kgrade({"grade", slug, at("plain.cu"), "--device", "emulated", "--case", "tiny", "--python", python()})
          .exit_code,
      0);
}

}  // namespace kgrade::test::without_pytorch_test
