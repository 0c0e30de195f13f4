// What lint says of `without` and `harmless`, and of inputs without families.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "soundness/lint_run.h"

namespace kgrade::test {
namespace left_out_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Problem problem_with(const std::string& keys, const std::string& init = "normal(0, 1)") {
  auto problem = parse_problem(R"yaml(---
slug: sample
title: Sample
difficulty: EASY
parameters:
  - {name: x, type: "[VAR]", pointer: true, const: true, shape: [n, m], init: ")yaml" +
                                   init +
                                   R"yaml("}
  - {name: ones, type: "[VAR]", pointer: true, const: true, shape: [m], init: ones}
  - {name: out, type: "[VAR]", pointer: true, const: false, shape: [n]}
  - {name: n, type: int, pointer: false, const: false}
  - {name: m, type: int, pointer: false, const: false}
dtypes: [float32, float16]
terms: m
cases:
  - {name: small, role: test, n: 40, m: 50}
  - {name: long, role: test, n: 40, m: 5000}
)yaml" + keys + R"yaml(---
text
)yaml",
                               "sample.md");
  EXPECT_TRUE(problem.ok());
  return std::move(*problem);
}

std::vector<LintFinding> findings_of(const std::string& keys, const std::string& init = "normal(0, 1)") {
  const Problem problem = problem_with(keys, init);
  LintFindings findings(problem);
  find_entries_without_effect(findings, problem);
  return findings.all();
}

std::vector<std::string> notes_of(const std::string& keys, const std::string& init = "normal(0, 1)") {
  const Problem problem = problem_with(keys, init);
  std::vector<Case> cases;
  for (const CaseSpec& spec : problem.cases) cases.push_back(*resolve_case(problem, spec));
  return notes_on_families(problem, cases);
}

TEST(LeftOut, AnEntryThatLeavesOutSomethingIsRight) {
  EXPECT_THAT(findings_of("without: {x: {shifted: why, sparse: why}}\nharmless: {first-half: why}\n"),
              IsEmpty());
  EXPECT_THAT(findings_of("without: {x: {all: why}}\n"), IsEmpty());
  // Both cases have rows of many terms, but hidden ones may not.
  EXPECT_THAT(findings_of("domain: {x: \"-9..9\"}\nwithout: {x: {one_value: why}}\n"), IsEmpty());
}

TEST(LeftOut, AFamilyThatTheInputNeverHasIsFoundWithItsPlace) {
  const auto findings = findings_of("without:\n  x:\n    shifted: why\n    cycle: why\n");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "family-not-drawn");
  EXPECT_EQ(findings[0].what.message, "'without' of 'x' names 'cycle', which this input never has");
  EXPECT_THAT(findings[0].what.remedy, HasSubstr("its families are: sparse, zero_rows, nonnegative"));
  EXPECT_EQ(findings[0].what.location.line, 19);
  EXPECT_EQ(findings[0].what.location.column, 5);
}

TEST(LeftOut, AnInputWithoutFamiliesNeedsNoEntry) {
  const auto findings = findings_of("without: {ones: {all: why}}\n");
  ASSERT_EQ(findings.size(), 1U) << "not one for each family";
  EXPECT_EQ(findings[0].what.message, "'without' of 'ones' leaves out nothing: 'ones' has no families");
}

TEST(LeftOut, AShortCutThatIsNeverTriedIsFoundWithItsPlace) {
  const auto findings = findings_of("harmless:\n  first-hal: why\n  integers-without-a-bit: why\n");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "short-cut-unknown");
  EXPECT_THAT(findings[0].what.message, HasSubstr("'first-hal', which is no short cut"));
  EXPECT_EQ(findings[0].what.location.line, 17);
  EXPECT_THAT(findings[1].what.message, HasSubstr("'integers-without-a-bit', which lint never tries here"));
  EXPECT_EQ(findings[1].what.location.line, 18);
  EXPECT_THAT(findings_of("precision: tf32\nharmless: {operands-in-tf32: why}\n"), testing::SizeIs(1));
}

TEST(LeftOut, AnInputWithoutFamiliesIsNoted) {
  EXPECT_THAT(notes_of(""), IsEmpty());
  EXPECT_THAT(
      notes_of("", "uniform(0.5, 1)"),
      ElementsAre(AllOf(HasSubstr("'x' has no families of inputs, so"), HasSubstr("state `domain`"))));
  EXPECT_THAT(notes_of("without: {x: {all: why}}\n"), ElementsAre(HasSubstr("`without` leaves them out")));
  EXPECT_THAT(notes_of("domain: {x: \"0.5..1\"}\n", "uniform(0.5, 1)"),
              ElementsAre(HasSubstr("'x' has no families of inputs in long, so")));
}

}  // namespace left_out_test
}  // namespace kgrade::test
