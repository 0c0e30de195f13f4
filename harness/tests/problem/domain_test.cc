// What a file says about families of inputs: `domain` and `without`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace domain_test {

using ::testing::HasSubstr;

std::string with_lines(const std::string& lines) {
  return edited(row_sum, "flops: rows", lines + "\nflops: rows");
}

Parameter input_of(const std::string& lines) {
  const auto problem = parse_problem(with_lines(lines), "problem.md");
  if (problem) return problem->parameters.front();
  ADD_FAILURE() << to_string(problem.errors());
  return {};
}

std::string errors_of(const std::string& lines) {
  const auto problem = parse_problem(with_lines(lines), "problem.md");
  return problem ? "" : to_string(problem.errors());
}

TEST(Domain, HasTwoEnds) {
  const Parameter input = input_of("domain: {input: \"-90..1.5e2\"}");
  ASSERT_TRUE(input.domain);
  EXPECT_EQ(input.domain->least, -90);
  EXPECT_EQ(input.domain->largest, 150);
}

TEST(Domain, OfAnotherFormIsAnError) {
  for (const char* text : {"90", "\"1..\"", "\"..1\"", "\"2..1\"", "\"1..1\"", "\"a..b\"", "\"0..inf\"",
                           "\"\"", "\"-100...100\"", "\"-1e39..1e39\""})
    EXPECT_THAT(errors_of("domain: {input: " + std::string(text) + "}"), HasSubstr("'domain' of 'input' is"))
        << text;
}

TEST(Domain, OfReversedEndsIsNamed) {
  EXPECT_THAT(errors_of("domain: {input: \"2..1\"}"),
              HasSubstr("the first number must be less than the second"));
}

TEST(Domain, HoldsWhatInitDraws) {
  EXPECT_THAT(errors_of("domain: {input: \"0.5..2\"}"), HasSubstr("draws numbers outside of it"));
}

TEST(Domain, IsOfAnInput) {
  EXPECT_THAT(errors_of("domain: {output: \"0..2\"}"), HasSubstr("names 'output', which is no input"));
  EXPECT_THAT(errors_of("domain: {inptu: \"0..2\"}"), HasSubstr("input"));
  EXPECT_THAT(errors_of("without: {rows: {shifted: why}}"), HasSubstr("names 'rows', which is no input"));
}

TEST(Without, NamesFamiliesWithTheirReasons) {
  const Parameter input = input_of("without: {input: {shifted: sums grow, rows_shifted: the same}}");
  ASSERT_EQ(input.without.size(), 2U);
  EXPECT_EQ(input.without.at(Family::shifted).why, "sums grow");
  EXPECT_EQ(input.without.at(Family::rows_shifted).why, "the same");
  EXPECT_GT(input.without.at(Family::rows_shifted).location.column,
            input.without.at(Family::shifted).location.column);
}

TEST(Without, MayNameAll) {
  const auto without = input_of("without: {input: {all: it holds offsets}}").without;
  EXPECT_EQ(without.size(), static_cast<std::size_t>(families_of_inputs) - 1);
}

TEST(Without, NeedsReasonsAndKnownNames) {
  EXPECT_THAT(errors_of("without: {input: {shifted: \" \"}}"), HasSubstr("write a text"));
  EXPECT_THAT(errors_of("without: {input: {shifed: why}}"), HasSubstr("shifted"));
  EXPECT_THAT(errors_of("without: {input: shifted}"), HasSubstr("'without' of 'input'"));
}

}  // namespace domain_test
}  // namespace kgrade::test
