// Problems that are bad on purpose: `kgrade lint` refuses each, with the right finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "soundness/lint_findings.h"
#include "tests/support/command.h"

namespace kgrade::test {
namespace bad_problems_test {

using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string problems = planted("soundness/problems/");
const std::string references = planted("soundness/reference");

std::string text_of(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

// A problem of the tests, one text in it replaced, with its reference in a folder of its own.
class EditedProblem {
 public:
  explicit EditedProblem(const std::string& slug, const std::string& from = "", const std::string& to = "")
      : file_(slug + ".md", edited(text_of(problems + slug + ".md"), from, to)) {
    namespace fs = std::filesystem;
    const fs::path root = file_.directory();
    for (const char* part : {"problems", "reference"}) fs::create_directory(root / part);
    path_ = (root / "problems" / (slug + ".md")).string();
    fs::rename(file_.path(), path_);
    fs::copy(references, root / "reference");
    reference_ = (root / "reference" / (slug + ".cu")).string();
  }
  const std::string& path() const { return path_; }
  const std::string& reference() const { return reference_; }

 private:
  static std::string edited(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
  }

  ScratchFile file_;
  std::string path_;
  std::string reference_;
};

// The name of a problem is the rule that it breaks.
class BadProblems : public testing::TestWithParam<std::string> {};

void expect_refused(const std::string& rule, const std::string& sample_above) {
  const Result result = kgrade({"lint", problems + rule + ".md", "--device", "emulated", "--json", "-",
                                "--sample-above", sample_above});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  const auto report = nlohmann::json::parse(result.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << result.output;
  std::vector<std::string> errors;
  for (const auto& finding : report["files"][0]["findings"]) {
    if (finding["severity"] == "error") errors.push_back(finding["rule"]);
    EXPECT_NE(finding["remedy"], "") << finding;
    EXPECT_NE(finding["file"], "") << finding;
  }
  // A loose tolerance lets other wrong answers through as well.
  if (rule == "zeros-pass" || rule == "sample-passes" || rule == "short-cut-passes") {
    EXPECT_THAT(errors, Contains(rule)) << result.output;
  } else {
    EXPECT_THAT(errors, ElementsAre(rule)) << result.output;
  }
  EXPECT_THAT(result.left_behind, IsEmpty());
}

TEST_P(BadProblems, AreRefusedWithTheFindingThatFits) { expect_refused(GetParam(), "16777216"); }

// All cases are compared on the device, as large ones are.
TEST_P(BadProblems, AreRefusedAsLargeOnesToo) { expect_refused(GetParam(), "64"); }

INSTANTIATE_TEST_SUITE_P(Each, BadProblems,
                         testing::Values("input-ignored", "constant-output", "zeros-pass", "classes-overlap",
                                         "unused-parameter", "shape-not-positive", "aliasing-output",
                                         "beyond-memory", "sample-passes", "reference-out-of-bounds",
                                         "not-finite", "reference-unwritten", "short-cut-passes"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Lint, LooksAtEveryElementTypeThatAProblemLists) {
  const Result result = kgrade({"lint", problems + "narrow-zeros-pass.md", "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output,
              HasSubstr("error: in float16: case 'small': 'y' is accepted when it holds zeros"));
  EXPECT_THAT(result.output, HasSubstr("[zeros-pass]"));
  EXPECT_THAT(result.output, Not(HasSubstr("error: case")));
}

// A candidate may compete in a lower class than the problem asks for, which does not allow more than a tenth
// of the distance to the answer to other inputs.
TEST(Lint, NoThresholdOfALowerClassLetsZerosPass) {
  const EditedProblem problem("zeros-pass", "{fp32: 1.2, tf32: 1.5, bf16: 2}",
                              "{fp32: 0.00001, tf32: 0.001, bf16: 2}");
  const Result result = kgrade({"lint", problem.path(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("accepted")));
}

TEST(Lint, AParameterThatOnlyAConditionNamesIsUnused) {
  const Result result = kgrade({"lint", problems + "unused-in-require.md", "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output,
              HasSubstr("the parameter 'power' changes no output on any case [unused-parameter]"));
  EXPECT_EQ(kgrade({"lint", problems + "unused-in-require.md", "--no-run"}).exit_code, 0)
      << "what shapes do not depend on shows on a device only";
}

// All its own cases are sound.
TEST(Lint, DeepLooksAtHiddenShapesThatASeedGivesAgain) {
  const std::string path = problems + "fuzz-unsound.md";
  const Result usual = kgrade({"lint", path, "--device", "emulated"});
  EXPECT_EQ(usual.exit_code, 0) << usual.output;
  EXPECT_THAT(usual.output, Not(HasSubstr("fuzz")));
  const Result deep = kgrade({"lint", path, "--device", "emulated", "--deep", "--hidden-seed", "3"});
  EXPECT_EQ(deep.exit_code, 2);
  EXPECT_THAT(deep.output, ContainsRegex("fuzz-unsound.md:23:[0-9]+: error: case 'hidden-[0-9]' of `fuzz` "
                                         "\\(rows: [1-8], columns: 1\\): every element of 'y' is 0"));
  EXPECT_THAT(deep.output, HasSubstr(" [constant-output]"));
  EXPECT_THAT(deep.output, HasSubstr("4 of them drawn from `fuzz` (--hidden-seed 3)"));
  EXPECT_EQ(kgrade({"lint", path, "--device", "emulated", "--deep", "--hidden-seed", "3"}).output,
            deep.output);
}

// All of its expected values are the same float: by the norm, or read as floats, any answer would do.
TEST(Lint, IntegersAreJudgedOneByOneHoweverLargeTheyAre) {
  const Result result = kgrade({"lint", problems + "running-total.md", "--device", "emulated", "--deep"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("1 file, 0 errors; soundness of"));
  EXPECT_THAT(result.output, Not(HasSubstr("warning")));
}

TEST(Lint, NotesAreOfEveryElementTypeAndToldOnce) {
  const EditedProblem problem("narrow-zeros-pass");
  // Only in float16 does it use something that the emulated device cannot run.
  std::ofstream(problem.reference())
      << "#include \"ops/types.cuh\"\n"
         "__global__ void square(const ops::element* x, ops::element* y, size_t n) {\n#ifdef KGRADE_FLOAT16\n"
         "  asm(\"exit;\");\n#endif\n"
         "  for (size_t i = 0; i < n; ++i) y[i] = ops::element(ops::accumulator(x[i]) * "
         "ops::accumulator(x[i]));\n}\n"
         "extern \"C\" void solution(const ops::element* x, ops::element* y, size_t n) { square<<<1, 1>>>(x, "
         "y, n); "
         "}\n";
  const Result result = kgrade({"lint", problem.path(), "--device", "emulated", "--deep"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("note: in float16: soundness was not checked: the "));
}

TEST(Lint, SaysBeforeItBeginsWhatACaseNeedsOfTheHost) {
  const Result result = kgrade({"lint", problems + "fuzz-unsound.md", "--device", "emulated", "--deep",
                                "--hidden", "0", "--host-memory", "514MiB"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("note: case 'large' was not checked: it needs 516 MiB of the host's memory, and "
                        "514 MiB are free"));
  EXPECT_EQ(kgrade({"lint", problems + "fuzz-unsound.md", "--host-memory", "much"}).exit_code, 2);
}

const std::string small_cases =
    "  - {name: small, role: sample, rows: 5, columns: 7}\n  - {name: odd, role: test, rows: 11, columns: "
    "19}\n";

TEST(Lint, AProblemOfWhichNoCaseIsSmallEnoughIsNotClean) {
  const EditedProblem large("fuzz-unsound", small_cases,
                            "  - {name: wide, role: test, rows: 1000, columns: 1001}\n");
  const Result usual = kgrade({"lint", large.path(), "--device", "emulated"});
  EXPECT_EQ(usual.exit_code, 2) << usual.output;
  EXPECT_THAT(usual.output,
              HasSubstr("fuzz-unsound.md:1:1: error: no case is small enough to be checked here "
                        "[no-small-case]\n  hint: add a `role: test` of at most "));
  EXPECT_THAT(usual.output, HasSubstr("note: case 'wide' was not checked but for the precision of the "
                                      "reference: it has 7.6 MiB of tensors"));
  EXPECT_EQ(kgrade({"lint", large.path(), "--no-run"}).exit_code, 0) << "nothing was to be run";
  EXPECT_THAT(kgrade({"lint", large.path(), "--device", "emulated", "--deep", "--hidden", "0"}).output,
              Not(HasSubstr("no-small-case")));
}

TEST(Lint, ACaseThatEvenADeepRunCannotTakeIsToldOnceForAllTypes) {
  const EditedProblem huge("narrow-zeros-pass",
                           "  - {name: small, role: sample, n: 48}\n  - {name: odd, role: test, n: 217}\n"
                           "  - {name: large, role: bench, n: 4194304}\n",
                           "  - {name: wide, role: test, n: 41943040}\n  - {name: large, role: bench, n: "
                           "41943041}\n");
  const Result deep = kgrade({"lint", huge.path(), "--device", "emulated", "--deep"});
  EXPECT_EQ(deep.exit_code, 2) << deep.output;
  EXPECT_THAT(deep.output, HasSubstr("1 file, 1 error"));
  EXPECT_THAT(deep.output, HasSubstr("[no-small-case]\n  hint: add a case that this device can run, or check "
                                     "the problem on a GPU"));
}

TEST(Lint, WhereTheHostsMemoryIsWhatLacksTheMachineIsToBlame) {
  const Result result =
      kgrade({"lint", problems + "fuzz-unsound.md", "--device", "emulated", "--host-memory", "1MiB"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("note: soundness was not checked: no case fits into the host's memory"));
  EXPECT_THAT(result.output, HasSubstr("1 file, 0 errors"));
}

TEST(Lint, AFileThatIsNamedClashesAsOneOfAFolderDoes) {
  const ScratchFile first("row.md", text_of(problems + "zeros-pass.md"));
  const Result misnamed = kgrade({"lint", "--no-run", first.path()});
  EXPECT_EQ(misnamed.exit_code, 2);
  EXPECT_THAT(misnamed.output, HasSubstr("row.md:1:1: error: the file's name is not its slug 'zeros-pass' "
                                         "[clashing-slug]\n  hint: rename the file to zeros-pass.md"));
  const ScratchFile second("zeros-pass.md", text_of(problems + "zeros-pass.md"));
  const Result doubled = kgrade({"lint", "--no-run", problems + "zeros-pass.md", second.path()});
  EXPECT_EQ(doubled.exit_code, 2);
  EXPECT_THAT(doubled.output,
              HasSubstr(second.path() + ":1:1: error: the slug 'zeros-pass' is taken [clashing-slug]"));
  EXPECT_EQ(kgrade({"lint", "--no-run", second.path(), second.directory() + "/./zeros-pass.md"}).exit_code, 0)
      << "one file, named twice";
}

TEST(Lint, AProblemOfTheCatalogueIsClean) {
  const Result result =
      kgrade({"lint", "problems/conv-depthwise-2d-square-input-asym-kernel.md", "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("1 file, 0 errors; soundness of "));
  EXPECT_THAT(result.output, Not(HasSubstr("note:")));
}

TEST(Lint, WithoutRunningOnlyFormAndMeaningAreLookedAt) {
  const Result result = kgrade({"lint", problems + "zeros-pass.md", "--no-run"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("1 file, 0 errors\n"));
}

TEST(Lint, VerboseShowsMemoryAndArithmeticOfEachCase) {
  const Result result = kgrade({"lint", problems + "sample-passes.md", "--no-run", "--verbose"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("large  bench   1.0 GiB  16 KiB  16 KiB  3.0 GiB"));
  EXPECT_THAT(result.output, HasSubstr("2.68e+08"));
}

TEST(Lint, FindingsNamePlaceCaseAndRemedy) {
  const Result result = kgrade({"lint", problems + "beyond-memory.md", "--no-run", "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.output,
      HasSubstr("beyond-memory.md:19:5: error: case 'large': needs 384 GiB for the tensors of oracle, "
                "reference and candidate, a GPU of 80 GB has 75 GiB [beyond-memory]\n  hint: "));
}

TEST(Lint, RulesAreListedWithTheirMeaning) {
  const Result result = kgrade({"lint", "--rules"});
  EXPECT_EQ(result.exit_code, 0);
  for (const LintRule& rule : lint_rules())
    EXPECT_THAT(result.output, HasSubstr(std::string(rule.name) + "  "));
}

TEST(Lint, AProblemWithoutAReferenceIsAFinding) {
  const ScratchFile file("zeros-pass.md", text_of(problems + "zeros-pass.md"));
  const Result result = kgrade({"lint", file.path(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  const std::filesystem::path folder = file.directory();
  EXPECT_THAT(result.output, HasSubstr((folder.parent_path() / "reference/zeros-pass.cu").string() +
                                       ": error: the problem has no reference [reference-missing]"))
      << "where its author can write it, not where kgrade's own lie";
}

// A problem of the tests in a folder of its own, with a reference that the emulated device cannot run.
TEST(Lint, AReferenceThatTheDeviceCannotRunIsNoFault) {
  const EditedProblem problem("zeros-pass");
  std::ofstream(problem.reference())
      << "__global__ void square(const float* x, float* y) { asm(\"mov.u32 %0, %1;\" : \"=f\"(*y) : "
         "\"f\"(*x)); }\n"
         "extern \"C\" void solution(const float* x, float* y, size_t n) { square<<<1, 1>>>(x, y); }\n";
  const Result result = kgrade({"lint", problem.path(), "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("note: soundness was not checked: the oracle cannot run here"));
  EXPECT_THAT(result.output, HasSubstr("1 file, 0 errors"));
}

TEST(Lint, WithoutACompilerItSaysWhatWasNotLookedAt) {
  Program program;
  program.environment = {"PATH=/nowhere", "CXX=/nowhere/c++"};
  const Result result = kgrade({"lint", problems + "zeros-pass.md", "--device", "emulated"}, program);
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("zeros-pass.md: note: soundness was not checked"));
}

}  // namespace bad_problems_test
}  // namespace kgrade::test
