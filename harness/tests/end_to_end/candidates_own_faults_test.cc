// One candidate that is wrong in itself has its verdict, and the others are graded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "tests/support/command.h"

namespace kgrade::test::candidates_own_faults_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string slug = "conv-standard-1d";  // of float32 alone

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

  fs::path folder() const { return root_.path() / slug; }

  void write(const std::string& name, const std::string& first_lines) const {
    std::ofstream(folder() / name) << first_lines
                                   << *read_text_file(fs::path(KGRADE_SOURCE_DIR) / "solutions" / slug /
                                                      "naive.cu");
  }

  Result sweep(const std::string& more = "--overwrite") const {
    return kgrade({"sweep", "--only", slug, "--solutions", folder() / "*.cu", "--device", "emulated",
                   "--jobs", "1", "--hidden", "0", "--output", root_.path() / "results.jsonl", more});
  }

  const TemporaryDirectory root_;
};

TEST_F(OwnFaults, AreVerdictsOfAGrade) {
  const Result result = kgrade({"grade", slug, folder() / "half.cu", folder() / "good.cu",
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
  const Result first = sweep();
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("4 candidates: 1 accepted, 3 not; "));
  EXPECT_THAT(first.output, Not(HasSubstr("not graded")));
  EXPECT_THAT(sweep("--resume").output, HasSubstr("4 of them from before"));
}

TEST_F(OwnFaults, AFileThatCannotBeReadIsNoFaultOfKgrade) {
  fs::create_symlink("nowhere.cu", folder() / "dangling.cu");
  const Result result = sweep();
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("5 candidates: 1 accepted, 3 not, 1 without a verdict"));
}

TEST_F(OwnFaults, ANameIsAnyBytes) {
  for (const char* name : {"half.cu", "nonsense.cu", "large.cu"}) fs::remove(folder() / name);
  write("gr\xfc\xdf.cu", "");
  write("-dash.cu", "");
  const Result first = sweep();
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("3 candidates: 3 accepted, 0 not"));
  EXPECT_THAT(sweep("--resume").output, HasSubstr("3 of them from before"));
}

TEST_F(OwnFaults, ANameMayBeginAsOptionsDo) {
  write("-dash.cu", "");
  const auto run = [&](const std::string& command, const std::string& arguments) {
    const std::string line = "cd '" + folder().string() + "' && exec '" KGRADE_PROGRAM "' " + command + " " +
                             slug + " --device emulated --case tiny " + arguments;
    return kgrade({"-c", line}, {"/bin/sh", {}});
  };
  for (const char* command : {"grade", "check"}) {
    for (const char* arguments : {"-- -dash.cu", "./-dash.cu"}) {
      const Result result = run(command, arguments);
      EXPECT_EQ(result.exit_code, 0) << result.output;
    }
  }
  const Result refused = run("grade", "-dash.cu");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, HasSubstr("error: '-dash.cu' is read as an option\n  hint: write ./-dash.cu"));
}

// Single precision cannot sum so many terms of nearly one size one by one: each is rounded to a quarter in
// the end.
TEST(OwnFaultsOfAProblem, AReferenceThatIsImpreciseIsFoundByLintAndNoFaultOfKgrade) {
  const TemporaryDirectory root;
  for (const char* part : {"problems", "reference"}) fs::create_directory(root.path() / part);
  const fs::path problem = root.path() / "problems/sum-all.md";
  std::ofstream(problem) << R"yaml(---
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
  const Result lint = kgrade({"lint", problem, "--device", "emulated"});
  EXPECT_EQ(lint.exit_code, 2) << lint.output;
  EXPECT_THAT(lint.output,
              HasSubstr("sum-all.md:16:5: error: case 'large': in single precision the reference's "
                        "'output' is off from the oracle's: the error is "));
  const Result graded = kgrade({"grade", "sum-all", root.path() / "right.cu", "--problems",
                                root.path() / "problems", "--case", "large", "--device", "emulated"});
  EXPECT_EQ(graded.exit_code, 2) << graded.output;
  EXPECT_THAT(graded.output,
              HasSubstr("sum-all.md:16:5: error: the reference fails on case 'large': in single "
                        "precision 'output' is off by "));
  EXPECT_THAT(graded.output, Not(HasSubstr("report it")));
}

}  // namespace kgrade::test::candidates_own_faults_test
