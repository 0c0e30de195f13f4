// `kgrade calibrate`: thresholds that are measured, and written into the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "problem/problem.h"
#include "tests/support/command.h"

namespace kgrade::test {
namespace calibrate_test {

using testing::HasSubstr;
using testing::StartsWith;

const std::string folder = planted("soundness/");

std::string content_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

// A problem of the tests with its reference, in a folder of its own.
class CopiedProblem {
 public:
  explicit CopiedProblem(const std::string& slug)
      : file_(slug + ".md", content_of(folder + "problems/" + slug + ".md")) {
    const std::filesystem::path root = file_.directory();
    for (const char* part : {"problems", "reference"}) std::filesystem::create_directory(root / part);
    path_ = root / "problems" / (slug + ".md");
    std::filesystem::rename(file_.path(), path_);
    std::filesystem::copy(folder + "reference", root / "reference");
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFile file_;
  std::filesystem::path path_;
};

TEST(Calibrate, WritesThresholdsBetweenTheClassesAndNothingElse) {
  const CopiedProblem problem("zeros-pass");
  const std::string before = content_of(problem.path());
  const Result result = kgrade({"calibrate", problem.path().string(), "--device", "emulated"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("written to "));
  std::string after = content_of(problem.path());
  const auto read = load_problem(problem.path());
  ASSERT_TRUE(read.ok());
  EXPECT_GT(read->thresholds.fp32, 1e-7);
  EXPECT_LT(read->thresholds.fp32, 1e-4);
  EXPECT_GT(read->thresholds.tf32, 4e-4);
  EXPECT_LT(read->thresholds.tf32, read->thresholds.bf16);
  EXPECT_LT(read->thresholds.bf16, 2e-2);
  const std::size_t begin = after.find("thresholds:");
  const std::size_t comment = after.find("# calibrated: 2", begin);
  ASSERT_NE(comment, std::string::npos);
  EXPECT_THAT(after.substr(comment), HasSubstr(" on emulated device on "));
  after.replace(begin, after.find('\n', comment) - begin, "thresholds: {fp32: 1.2, tf32: 1.5, bf16: 2}");
  EXPECT_EQ(after, before);
  EXPECT_EQ(kgrade({"lint", problem.path().string(), "--device", "emulated"}).exit_code, 0)
      << "with thresholds that fit the problem is sound";
}

TEST(Calibrate, MeasuresEveryElementTypeAndSaysWhichOrdersOfSummation) {
  const CopiedProblem squares("narrow-zeros-pass");
  const Result narrow = kgrade({"calibrate", squares.path().string(), "--device", "emulated"});
  ASSERT_EQ(narrow.exit_code, 0) << narrow.output;
  EXPECT_THAT(narrow.output, HasSubstr("small, float16"));
  EXPECT_THAT(narrow.output, HasSubstr("no rearranged operands give its sums another one"));
  EXPECT_THAT(content_of(squares.path()),
              HasSubstr(", float16: {fp32: 5.0e-06, tf32: 1.5e+00, bf16: 2.0e+00}}\n"));
  const CopiedProblem means("sample-passes");
  const Result summed = kgrade({"calibrate", means.path().string(), "--device", "emulated", "--dry-run"});
  EXPECT_EQ(summed.exit_code, 0) << summed.output;
  EXPECT_THAT(summed.output,
              HasSubstr("with the operands rearranged: columns shuffled, the last axis reversed\n"));
}

TEST(Calibrate, ClassesThatDoNotSeparateAreRefusedAndNothingIsWritten) {
  const CopiedProblem problem("classes-overlap");
  const std::string before = content_of(problem.path());
  const Result result = kgrade({"calibrate", problem.path().string(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, HasSubstr("cannot be told apart"));
  EXPECT_THAT(result.output, HasSubstr("hint: draw the inputs from uniform() or normal()"));
  EXPECT_EQ(content_of(problem.path()), before);
}

TEST(Calibrate, ADryRunAndAnUnknownCaseWriteNothing) {
  const CopiedProblem problem("sample-passes");
  const std::string before = content_of(problem.path());
  const Result result =
      kgrade({"calibrate", problem.path().string(), "--device", "emulated", "--case", "small", "--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("thresholds: {fp32: "));
  const Result unknown =
      kgrade({"calibrate", problem.path().string(), "--device", "emulated", "--case", "smal"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.output, HasSubstr("did you mean 'small'?"));
  EXPECT_EQ(content_of(problem.path()), before);
}

// Rearranged operands are tried on small cases only.
TEST(Calibrate, OnLargeCasesItSaysThatNoOrderWasTried) {
  const Result large = kgrade({"calibrate", folder + "problems/fuzz-unsound.md", "--device", "emulated",
                               "--case", "large", "--dry-run"});
  EXPECT_EQ(large.exit_code, 0) << large.output;
  EXPECT_THAT(large.output, HasSubstr("is tried on small cases, and none was measured\n"));
  EXPECT_THAT(large.output, testing::Not(HasSubstr("give its sums another one")));
}

TEST(Calibrate, AFileThatCannotBeReplacedIsRefusedBeforeAnythingIsMeasured) {
  namespace fs = std::filesystem;
  const CopiedProblem problem("zeros-pass");
  // With the suffix that is added while writing, its name would be too long.
  const fs::path file = problem.path().parent_path() / (std::string(250, 'x') + ".md");
  fs::rename(problem.path(), file);
  const Result result = kgrade({"calibrate", file.string(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output,
              HasSubstr("takes no new file, which is to replace this one: File name too long"));
  EXPECT_THAT(result.output, HasSubstr("or run it with --dry-run and write what it prints yourself"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("fp32"))) << "nothing was measured";
  EXPECT_EQ(kgrade({"calibrate", file.string(), "--device", "emulated", "--dry-run"}).exit_code, 0);
}

TEST(Calibrate, AReadOnlyFileIsRefusedBeforeAnythingIsMeasured) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes to every file";
  const CopiedProblem problem("zeros-pass");
  std::filesystem::permissions(problem.path(), std::filesystem::perms::owner_read);
  const Result result = kgrade({"calibrate", problem.path().string(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, StartsWith(problem.path().string() + ": error: the file cannot be written"));
  EXPECT_THAT(result.output, HasSubstr("chmod u+w"));
}

TEST(Calibrate, WhatWasMeasuredIsPrintedThoughItCannotBeWritten) {
  const CopiedProblem problem("zeros-pass");
  std::string text = content_of(problem.path());
  const std::string key = "thresholds: ";
  ASSERT_NE(text.find(key), text.npos);
  text.replace(text.find(key), key.size(), "? thresholds\n: ");
  std::ofstream(problem.path()) << text;
  const Result result = kgrade({"calibrate", problem.path().string(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\nthresholds: {fp32: "));
  EXPECT_THAT(result.output, HasSubstr("stand where they cannot be replaced"));
  EXPECT_EQ(content_of(problem.path()), text);
}

// It writes to the problem's own file; the operators are those that come with kgrade.
TEST(Calibrate, WritesIntoAProblemOfAFamilyInAFolderOfItsOwn) {
  namespace fs = std::filesystem;
  const ScratchFile anchor("anchor", "");
  const fs::path root = KGRADE_SOURCE_DIR;
  const fs::path copy = fs::path(anchor.directory()) / "tree";
  for (const char* part : {"problems/families", "reference/families"}) {
    fs::create_directories(copy / part);
    for (const auto& entry : fs::directory_iterator(root / part)) fs::copy(entry, copy / part);
  }
  const fs::path file = copy / "problems" / "conv-standard-1d.md";
  fs::copy_file(root / "problems/conv-standard-1d.md", file);
  const Result result = kgrade(
      {"calibrate", "conv-standard-1d", "--problems", (copy / "problems").string(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(content_of(file), HasSubstr("thresholds: {fp32: "));
  EXPECT_TRUE(load_problem(file).ok());
  fs::remove_all(copy);
}

}  // namespace calibrate_test
}  // namespace kgrade::test
