// What lint finds in problem files that parse.
#include "problem/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace lint_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

std::vector<std::string> findings(std::string_view text) {
  std::vector<std::string> lines;
  for (const LintFinding& finding : lint(parsed(text))) {
    const std::string line = to_string(finding);
    EXPECT_THAT(line, HasSubstr("\n  hint: "));
    EXPECT_THAT(line, HasSubstr(" [" + finding.rule + "]\n"));
    EXPECT_THAT(finding.rule, Not(IsEmpty()));
    lines.push_back(line.substr(0, line.find(" [" + finding.rule + "]\n")));
  }
  return lines;
}

// row_sum without the warnings that it has on purpose.
std::string clean() {
  std::string text =
      edited(row_sum, "cases:\n", "cases:\n  - {name: one, role: sample, rows: 1, columns: 1, scale: 1}\n");
  return edited(text, "rows: 1..3", "rows: 1..3\n  columns: 2");
}

TEST(Lint, FindsNothingInACompleteProblem) {
  EXPECT_THAT(findings(clean()), IsEmpty());
  const auto problem = load_problem(data_folder() / "gradable/conv-transpose-2d.md");
  ASSERT_TRUE(problem.ok());
  EXPECT_THAT(lint(*problem), IsEmpty());
}

// Of `columns` nothing depends but the inputs, which the reference computes, or what a bool switches.
TEST(Lint, AScalarThatInputsGetsIsUsedAndSoIsABool) {
  std::string text = edited(clean(), "shape: [rows, columns]", "shape: [rows, 8]");
  text = edited(edited(text, "  - columns > 0\n", "  - rows > 0\n"), "flops: rows * columns", "flops: rows");
  EXPECT_THAT(findings(text), ElementsAre(HasSubstr("no shape or formula uses the parameter 'columns'")));
  EXPECT_THAT(findings(edited(text, "init: uniform(0, 1)", "init: computed")), IsEmpty());
  text = replace_all(replace_all(text, "columns: 32", "columns: true"), "columns: 3", "columns: false");
  text = edited(edited(text, "columns: 1", "columns: true"), "columns: 2", "columns: [false, true]");
  EXPECT_THAT(findings(edited(text, "name: columns, type: int", "name: columns, type: bool")), IsEmpty());
}

TEST(Lint, NotesRangesBeyondAllSamplesAndTests) {
  EXPECT_EQ(note_on_fuzz(parsed(edited(clean(), "rows: 1..3", "rows: 1..2"))), "");
  EXPECT_EQ(note_on_fuzz(parsed(edited(clean(), "columns: 2", "columns: [1, 7]"))),
            "hidden shapes may be larger than every sample and test: rows up to 3 (2), columns up to 7 (3)");
}

TEST(Lint, WarningsAreInTheOrderOfTheFile) {
  EXPECT_THAT(findings(row_sum), ElementsAre("problem.md:1:1: warning: no case has the role sample",
                                             "problem.md:30:3: warning: 'fuzz' leaves out 'columns'"));
}

TEST(Lint, WhatGradingMissesIsAnError) {
  EXPECT_THAT(findings(edited(clean(), "    init: uniform(0, 1)\n", "")),
              ElementsAre("problem.md:6:11: error: parameter 'input' has no init"));
}

TEST(Lint, EveryCaseIsResolved) {
  const std::string text = edited(edited(clean(), "columns: 3", "columns: 0"), "columns: 32", "columns: -1");
  EXPECT_THAT(findings(text),
              ElementsAre(HasSubstr("problem.md:28:5: error: case 'tiny': `columns > 0` does not hold"),
                          HasSubstr("problem.md:29:5: error: case 'large': `columns > 0` does not")));
}

TEST(Lint, ParametersThatNoExpressionUsesAreErrors) {
  std::string text = edited(clean(), "[rows, columns]", "[rows]");
  text = edited(text, "columns > 0", "rows > 0");
  EXPECT_THAT(findings(edited(text, "rows * columns", "rows")),
              ElementsAre("problem.md:18:12: error: no shape or formula uses the parameter 'columns'"));
  EXPECT_THAT(findings(text), IsEmpty()) << "flops use it";
}

// The hint names every place that counts, like problems/README.md.
TEST(Lint, WhatAPythonFileCannotSayIsNotMissed) {
  const std::string bare =
      edited(edited(clean(), "shape: [rows, columns]", "shape: [rows, 8]"), "  columns: 2", "");
  ASSERT_THAT(findings(bare), Not(IsEmpty()));
  auto problem = parsed(bare);
  problem.path = "row_sum.py";
  EXPECT_THAT(lint(problem), IsEmpty());
}

TEST(Lint, WhatCountsAsUseIsWhatTheHintSays) {
  std::string unused = edited(clean(), "[rows, columns]", "[rows]");
  unused = edited(edited(unused, "columns > 0", "rows > 0"), "rows * columns", "rows");
  const auto found = lint(parsed(unused));
  ASSERT_EQ(found.size(), 1U);
  for (const auto& [key, text] : std::vector<std::pair<std::string, std::string>>{
           {"shape", edited(unused, "shape: [rows]", "shape: [rows, columns]")},
           {"init", edited(unused, "uniform(0, 1)", "uniform_fan_in(columns)")},
           {"let", edited(unused, "half: rows / 2", "half: rows / 2 + 0 * columns")},
           {"require", edited(unused, "rows > 0", "rows > 0\n  - columns > 0")},
           {"flops", edited(unused, "flops: rows", "flops: rows * columns")},
           {"bytes", edited(unused, "flops: rows", "flops: rows\nbytes: 4 * columns")}}) {
    EXPECT_THAT(found[0].what.remedy, HasSubstr("`" + key + "`"));
    EXPECT_THAT(findings(text), IsEmpty()) << key;
  }
}

TEST(Lint, WithoutRangesHiddenShapesAreNeverDrawn) {
  const std::string text = edited(clean(), "fuzz:\n  rows: 1..3\n  columns: 2\n", "");
  EXPECT_THAT(findings(text),
              ElementsAre("problem.md:1:1: warning: there is no 'fuzz': hidden shapes are never "
                          "drawn"));
  EXPECT_THAT(lint(parsed(text))[0].what.remedy, HasSubstr("`fuzz: {rows: 1..3}`"));
}

TEST(Lint, WhereNoIntegerIsAParameterThereIsNothingToDraw) {
  std::string text = edited(clean(), "fuzz:\n  rows: 1..3\n  columns: 2\n", "");
  text = edited(edited(text, "rows, type: size_t", "rows, type: float"), "columns, type: int",
                "columns, type: float");
  text = edited(edited(text, "[rows, columns]", "[4]"), "shape: [kept]", "shape: [4]");
  text = edited(edited(text, "let:\n  half: rows / 2\n  kept: rows - half\nrequire:\n  - columns > 0\n", ""),
                "flops: rows * columns", "flops: 4");
  EXPECT_THAT(findings(text), IsEmpty());
}

TEST(Lint, EqualCasesAreErrors) {
  const std::string text =
      edited(clean(), "rows: 64, columns: 32, scale: 1", "rows: 2, columns: 3, scale: 1.5");
  EXPECT_THAT(findings(text),
              ElementsAre("problem.md:29:5: error: case 'large' has the values of case 'tiny'"));
}

TEST(Lint, RangesOfWhichHardlyADrawIsLegalAreAnError) {
  std::string text = edited(clean(), "columns > 0", "columns > 0 && rows * columns % 43 == 0");
  text = edited(edited(text, "rows: 1, columns: 1", "rows: 43, columns: 1"), "rows: 2, columns: 3",
                "rows: 43, columns: 3");
  text = edited(edited(text, "rows: 64, columns: 32", "rows: 86, columns: 32"), "rows: 1..3\n  columns: 2",
                "rows: 1..1000\n  columns: 1..1000");
  EXPECT_THAT(findings(text), ElementsAre(MatchesRegex(
                                  "problem.md:31:3: error: of 256 draws from the ranges of 'fuzz' [0-7] "
                                  "(is|are) legal; the commonest reason: .*% 43 == 0` does not hold.*")));
}

TEST(Lint, MissingFlopsAndStatementAreWarnedOf) {
  EXPECT_THAT(findings(edited(clean(), "flops: rows * columns\n", "")),
              ElementsAre("problem.md:1:1: warning: there is no 'flops'"));
  EXPECT_THAT(findings(edited(clean(), "Sum every row.", " ")),
              ElementsAre("problem.md:1:1: warning: the statement is empty"));
}

TEST(Lint, RangesThatHoldNoLegalCaseAreAnError) {
  EXPECT_THAT(
      findings(edited(clean(), "rows: 1..3", "rows: 0..0")),
      ElementsAre(HasSubstr("problem.md:31:3: error: no hidden case could be drawn from the ranges of")));
  EXPECT_THAT(findings(edited(edited(clean(), "rows: 1..3", "rows: 0..0"), "columns: 3,", "columns: 0,")),
              ElementsAre(HasSubstr("error: case 'tiny'")))
      << "one fault is told at a time";
}

TEST(Lint, WhatACaseFailsAtHasARule) {
  const auto rules = [](const std::string& text) {
    std::vector<std::string> found;
    for (const LintFinding& finding : lint(parsed(text))) found.push_back(finding.rule);
    return found;
  };
  EXPECT_THAT(rules(edited(clean(), "columns: 3,", "columns: 0,")), ElementsAre("illegal-case"))
      << "`require` says so";
  EXPECT_THAT(rules(edited(edited(clean(), "columns: 3,", "columns: 0,"), "columns > 0", "rows > 0")),
              ElementsAre("shape-not-positive"));
}

TEST(Lint, LibrariesAreNoMatterForComplaint) {
  EXPECT_THAT(findings(edited(clean(), "precision", "libraries: none\nprecision")), IsEmpty());
}

// And for nothing else: all that it lacks would only repeat that.
TEST(Lint, ABareInterfaceIsForImport) {
  const auto problem = load_problem(data_folder() / "interface/conv-transpose-3d.md");
  ASSERT_TRUE(problem.ok());
  const auto found = lint(*problem);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().rule, "incomplete");
  EXPECT_EQ(found.front().what.remedy, "`kgrade import " + problem->path.string() +
                                           "` makes a problem file of it, and lists what is left to write");
}

TEST(Lint, WhatImportHasWrittenIsToldWhatItLacks) {
  const auto path = data_folder() / "interface/conv-transpose-3d.md";
  const auto problem =
      parse_problem(edited(*read_text_file(path), "\nparameters:", "\ndtypes: [float32]\nparameters:"), path);
  ASSERT_TRUE(problem.ok());
  for (const LintFinding& finding : lint(*problem))
    EXPECT_THAT(finding.what.remedy, Not(HasSubstr("kgrade import")));
  EXPECT_GT(lint(*problem).size(), 3U);
}

}  // namespace lint_test
}  // namespace kgrade::test
