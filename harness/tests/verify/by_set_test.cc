#include "verify/by_set.h"

#include <gmock/gmock.h>

#include <limits>

namespace kgrade::by_set_test {

using testing::ElementsAre;

constexpr double inf = std::numeric_limits<double>::infinity();

bool is_accepted(const SetRule& rule, const std::vector<RuleCount>& outputs) {
  return judge_by_set(rule, outputs).accepted;
}

TEST(BySet, EveryElementHasToPassUnlessTheRuleSaysOtherwise) {
  EXPECT_TRUE(is_accepted({0.1, 0}, {{1000, 0, 0.05}}));
  EXPECT_FALSE(is_accepted({0.1, 0}, {{1000, 1, 0.2}}));
  EXPECT_TRUE(is_accepted({0.1, 0, 0.99}, {{1000, 10, 0.2}}));
  EXPECT_FALSE(is_accepted({0.1, 0, 0.99}, {{1000, 11, 0.2}}));
  EXPECT_TRUE(is_accepted({0.1, 0, 0.07}, {{100, 93, 0.2}})) << "0.07 x 100 is more than 7 in double";
  EXPECT_TRUE(is_accepted({0.1, 0}, {{0, 0, 0}})) << "an empty output";
}

TEST(BySet, NoElementMayBeOffByMoreThanTheCap) {
  EXPECT_TRUE(is_accepted({0.1, 0, 0.99, 5}, {{1000, 1, 5}}));
  EXPECT_FALSE(is_accepted({0.1, 0, 0.99, 5}, {{1000, 1, 5.5}}));
  EXPECT_FALSE(is_accepted({0.1, 0, 0.99, 5}, {{1000, 1, inf}}));
}

// Many right elements of a large output do not make up for a small output that is wrong.
TEST(BySet, EachOutputHasToSatisfyTheRule) {
  const CaseBySet by_set = judge_by_set({0.1, 0, 0.9}, std::vector<RuleCount>{{1000, 0, 0.05}, {10, 5, 0.5}});
  EXPECT_FALSE(by_set.accepted);
  EXPECT_EQ(by_set.elements, 1010u);
  EXPECT_EQ(by_set.failed_elements, 5u);
  EXPECT_EQ(by_set.largest_error, 0.5);
}

CandidateRecord candidate_with(const std::vector<CaseBySet>& cases) {
  CandidateRecord candidate;
  for (const CaseBySet& by_set : cases) {
    CaseRecord& c = candidate.cases.emplace_back();
    c.name = "case-" + std::to_string(candidate.cases.size());
    c.run = true;
    c.by_set = by_set;
  }
  return candidate;
}

const CaseBySet passed = {true, 0, 100, 0.005, {0.01, 0.02}};
const CaseBySet refused = {false, 3, 100, 0.5, {0.01, 0.02}};

TEST(BySet, AgreesInSilence) {
  CandidateRecord candidate = candidate_with({passed, passed});
  auto by_set = verdict_by_set(candidate, 2, 2);
  EXPECT_EQ(by_set->verdict, SetVerdict::accepted);
  EXPECT_EQ(by_set->cases, 2);
  EXPECT_EQ(by_set->differs, std::nullopt);
  candidate = candidate_with({passed, refused});
  candidate.verdict = Verdict::low_precision;
  by_set = verdict_by_set(candidate, 2, 2);
  EXPECT_EQ(by_set->verdict, SetVerdict::wrong_answer);
  EXPECT_THAT(by_set->refused, ElementsAre("case-2"));
  EXPECT_EQ(by_set->differs, std::nullopt);
  EXPECT_EQ(verdict_by_set(candidate, 0, 0), std::nullopt) << "no case has a rule";
}

TEST(BySet, SaysWhyItAcceptsWhatTheGraderRefuses) {
  CandidateRecord candidate = candidate_with({passed, passed});
  candidate.verdict = Verdict::low_precision;
  candidate.message = "case 'case-1': 'y' reaches tf32 precision\nmore";
  EXPECT_EQ(
      verdict_by_set(candidate, 2, 2)->differs,
      "ours: low_precision: case 'case-1': 'y' reaches tf32 precision; by the set: every element within "
      "0.01 + 0.02 |expected|");
  for (CaseRecord& c : candidate.cases) c.by_set->rule = {0.01, 0.02, 0.99, 10};
  EXPECT_THAT(
      *verdict_by_set(candidate, 2, 2)->differs,
      testing::EndsWith("by the set: at least 99 % of the elements within 0.01 + 0.02 |expected|, and none "
                        "off by more than 10"));
  for (CaseRecord& c : candidate.cases) c.by_set->rule = {0.01, 0.02, 1, {}, true};
  EXPECT_THAT(*verdict_by_set(candidate, 2, 2)->differs,
              testing::EndsWith("by the set: every element within 0.01 or 0.02 |expected|"));
  candidate.cases[0].by_set->rule = {1, 1};
  EXPECT_THAT(*verdict_by_set(candidate, 2, 2)->differs,
              testing::EndsWith("by the set: each case satisfies its rule"));
}

TEST(BySet, SaysWhyItRefusesWhatTheGraderAccepts) {
  CandidateRecord candidate = candidate_with({passed, refused, refused});
  candidate.cases[0].relative_error = 3e-7;
  const auto by_set = verdict_by_set(candidate, 3, 3);
  EXPECT_THAT(by_set->refused, ElementsAre("case-2", "case-3"));
  EXPECT_EQ(by_set->differs,
            "ours: accepted in fp32, with an error of at most 3.0e-07; by the set: case 'case-2': 3 of 100 "
            "elements are not within 0.01 + 0.02 |expected|, and the largest error is 5.0e-01");
}

// A case that ended in a crash has no outputs to judge.
TEST(BySet, IsNotDecidedIfACaseWasNotJudged) {
  CandidateRecord candidate = candidate_with({passed});
  candidate.verdict = Verdict::runtime_error;
  const auto by_set = verdict_by_set(candidate, 3, 2);
  EXPECT_EQ(by_set->verdict, SetVerdict::not_decided);
  EXPECT_EQ(by_set->cases, 1);
  EXPECT_EQ(by_set->all_cases, 3);
  EXPECT_EQ(by_set->differs, std::nullopt);
  EXPECT_EQ(verdict_by_set(candidate, 3, 1)->verdict, SetVerdict::accepted) << "the others were skipped";
  EXPECT_EQ(verdict_by_set(candidate_with({refused}), 3, 2)->verdict, SetVerdict::wrong_answer);
  EXPECT_EQ(verdict_by_set(candidate_with({}), 3, 0)->verdict, SetVerdict::not_decided);
}

}  // namespace kgrade::by_set_test
