// The verdict of the set that a problem is from, beside ours: one case, and a candidate in several cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grade/candidate_run.h"
#include "tests/support/case_fixture.h"

namespace kgrade {
namespace set_verdict_test {

using test::outputs_off_by;
using testing::EndsWith;
using testing::HasSubstr;

using SetRuleOfACase = test::CaseFixture;

TEST_F(SetRuleOfACase, TheRuleOfTheSetJudgesTheFirstCallOfTheCase) {
  contest_.by_rule = {100, 2, 0.5};
  EXPECT_EQ(run_briefly().by_set, std::nullopt);
  EXPECT_EQ(contest_.looks, "") << "nothing is counted without a rule";
  case_.by_set = SetRule{0.01, 0.02, 0.99};
  const CaseRecord record = run_briefly();
  EXPECT_GT(record.calls, 1);
  EXPECT_EQ(contest_.looks, "s");
  ASSERT_TRUE(record.by_set);
  EXPECT_FALSE(record.by_set->accepted);
  EXPECT_EQ(record.by_set->failed_elements, 2u);
  EXPECT_EQ(record.by_set->rule, *case_.by_set);
  EXPECT_EQ(record.verdict, Verdict::accepted) << "the set's verdict changes nothing in ours";
}

// To examine a wrong output changes what the oracle's call left.
TEST_F(SetRuleOfACase, TheRuleOfTheSetJudgesAWrongOutputBeforeItIsExamined) {
  contest_.candidate_comparison = outputs_off_by(0.5);
  case_.by_set = SetRule{1, 1};
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_EQ(contest_.looks, "sx");
  EXPECT_TRUE(record.by_set && record.by_set->accepted);
}

TEST_F(SetRuleOfACase, AnotherIndexOfAnEqualValueIsRight) {
  contest_.compare = Comparison::Kind::ties;
  contest_.by_rule = {100, 2, 2319};
  case_.by_set = SetRule{1e-4, 1e-4};
  EXPECT_TRUE(run().by_set->accepted);
  contest_.candidate_comparison.max_abs_difference = 2;
  EXPECT_FALSE(run().by_set->accepted);
}

TEST_F(SetRuleOfACase, ACallThatFailsIsNotJudgedByTheSet) {
  contest_.candidate_report.fault = Fault::ended;
  case_.by_set = SetRule{1, 1};
  EXPECT_EQ(run().by_set, std::nullopt);
}

class SetVerdictTest : public testing::Test {
 protected:
  // Four cases, of which the last one has no rule and "skipped" is skipped.
  SetVerdictTest() {
    contest_.info.measures_speed = false;
    for (const std::string name : {"small", "wide", "skipped", "free"}) {
      PlannedCase& planned = cases_.emplace_back();
      planned.bound.name = name;
      planned.skipped = name == "skipped" ? "too large" : "";
      if (name != "free") planned.bound.by_set = SetRule{0.01, 0.02};
    }
  }

  CandidateRecord run() {
    Session session{contest_, problem_, 7, Effort::quick, {}, stages_, [](const std::string&) {}};
    BuildOutcome built;
    built.status = BuildStatus::built;
    const auto record = run_candidate(session, built, cases_, {});
    EXPECT_TRUE(record.ok()) << to_string(record.errors());
    return record.ok() ? *record : CandidateRecord{};
  }

  test::FakeClock clock_;
  StageClock stages_{clock_};
  test::FakeContest contest_{clock_};
  Problem problem_;
  std::vector<PlannedCase> cases_;
};

TEST_F(SetVerdictTest, SaysWhyItDiffersFromOurs) {
  contest_.before_call = [&](Role, const Draw&) {
    const bool is_small = contest_.cases[Role::candidate].name == "small";
    contest_.candidate_comparison = outputs_off_by(is_small ? 3e-4 : 0);
  };
  const CandidateRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::low_precision);
  ASSERT_TRUE(record.by_set);
  EXPECT_EQ(record.by_set->verdict, SetVerdict::accepted);
  EXPECT_EQ(record.by_set->cases, 2);
  EXPECT_EQ(record.by_set->all_cases, 3);
  EXPECT_THAT(*record.by_set->differs, HasSubstr("ours: low_precision: case 'small': 'output' reaches tf32"));
  EXPECT_THAT(*record.by_set->differs, EndsWith("by the set: every element within 0.01 + 0.02 |expected|"));
}

TEST_F(SetVerdictTest, IsNotDecidedAfterACrash) {
  contest_.before_call = [&](Role role, const Draw&) {
    const bool crashes = role == Role::candidate && contest_.cases[Role::candidate].name == "wide";
    contest_.candidate_report.fault = crashes ? Fault::ended : Fault::none;
  };
  const CandidateRecord record = run();
  EXPECT_NE(record.verdict, Verdict::accepted);
  ASSERT_TRUE(record.by_set);
  EXPECT_EQ(record.by_set->verdict, SetVerdict::not_decided);
  EXPECT_EQ(record.by_set->cases, 1);
}

TEST_F(SetVerdictTest, IsAbsentWithoutARule) {
  for (PlannedCase& planned : cases_) planned.bound.by_set.reset();
  EXPECT_FALSE(run().by_set);
}

}  // namespace set_verdict_test
}  // namespace kgrade
