#include "grade/case_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "case_fixture.h"

namespace kgrade {
namespace {

using test::outputs_off_by;
using testing::ElementsAre;
using testing::HasSubstr;

using CaseRunTest = test::CaseFixture;

TEST_F(CaseRunTest, TheSpeedupIsTheRatioOfTheMediansWithoutTheWarmUp) {
  // Of the first two after the warm-up one gives no sample: only a few elements of its inputs are new.
  arena_.candidate_ms = {1000, 1, 1, 9, 2};
  arena_.reference_ms = {1000, 8, 8, 4, 6};
  const CaseRecord record = run_briefly();
  EXPECT_THAT(record.candidate_ms, ElementsAre(1, 9, 2));
  EXPECT_THAT(record.reference_ms, ElementsAre(8, 4, 6));
  EXPECT_THAT(record.candidate_wall_ms, ElementsAre(1.75, 9.75, 2.75));
  EXPECT_EQ(record.speedup, 6.0 / 2.0);
  EXPECT_EQ(record.calls, 5 + 3);
  EXPECT_EQ(record.verdict, Verdict::accepted);
  EXPECT_EQ(outcome("precision"), CheckOutcome::passed);
}

TEST_F(CaseRunTest, TheWarmUpStartsWithTheReferenceAndThenTheOrderAlternates) {
  run_briefly();
  EXPECT_EQ(arena_.order.substr(0, 3), "orc");
  EXPECT_NE(arena_.order.substr(3, 3), arena_.order.substr(6, 3));
}

TEST_F(CaseRunTest, SamplesUntilTheBudgetIsSpent) {
  arena_.seconds_per_call = 0.0625;  // 8 rounds in 1.5 s, the warm-up and one that gives no sample among them
  const CaseRecord record = run();
  EXPECT_EQ(record.candidate_ms.size(), 6u);
}

TEST_F(CaseRunTest, ShortKernelsStopAtTheMostSamples) {
  arena_.seconds_per_call = 1e-6;
  EXPECT_EQ(run().candidate_ms.size(), 50u);
  effort_ = Effort::quick;
  EXPECT_EQ(run().candidate_ms.size(), 10u);
}

TEST_F(CaseRunTest, AWrongAnswerEndsTheCaseAndSaysHowWrong) {
  arena_.candidate_comparison = outputs_off_by(0.5);
  arena_.candidate_comparison.worst_index = 37;
  arena_.wrong = 100;
  arena_.unwritten = 3;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_EQ(record.message, "'output': 100 of 100 elements wrong, the worst at [3, 7]; 3 never written");
  EXPECT_EQ(record.relative_error, 0.5);
  EXPECT_EQ(record.precision, Precision::none);
  EXPECT_FALSE(record.speedup);
  EXPECT_EQ(arena_.order, "orc");
  EXPECT_EQ(outcome("outputs_match"), CheckOutcome::failed);
  EXPECT_EQ(outcome("guard_zones"), CheckOutcome::passed);
  EXPECT_EQ(outcome("precision"), CheckOutcome::not_run);
}

TEST_F(CaseRunTest, APrecisionBelowTheProblemsIsItsOwnVerdict) {
  arena_.candidate_comparison = outputs_off_by(3e-4);
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::low_precision);
  EXPECT_EQ(record.precision, Precision::tf32);
  EXPECT_THAT(record.message, HasSubstr("the problem asks for fp32"));
  problem_.precision = "tf32";
  EXPECT_EQ(run().verdict, Verdict::accepted);
}

TEST_F(CaseRunTest, ACandidateGetsTwentyTimesTheReferencesTimeButAtLeastTwoSeconds) {
  run();
  EXPECT_EQ(arena_.candidate_patience.front(), Patience(2000));
  arena_.reference_ms = {499.5};
  arena_.candidate_patience.clear();
  run();
  EXPECT_EQ(arena_.candidate_patience.front(), Patience(10'000));
  limit_ = Patience(123);
  arena_.candidate_patience.clear();
  run();
  EXPECT_EQ(arena_.candidate_patience.front(), Patience(123));
}

TEST_F(CaseRunTest, ATimeLimitIsAVerdict) {
  arena_.candidate_report.fault = Fault::time_limit;
  arena_.candidate_report.detail = "no answer within 2.0 s";
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::time_limit);
  EXPECT_EQ(record.calls, 0);
  EXPECT_EQ(outcome("completion"), CheckOutcome::failed);
  EXPECT_EQ(outcome("load"), CheckOutcome::passed);
}

TEST_F(CaseRunTest, ACrashIsExplainedAndTheWorkerRetired) {
  arena_.candidate_report.cuda_error = 700;
  EXPECT_EQ(run().verdict, Verdict::runtime_error);
  EXPECT_TRUE(arena_.retired);
  arena_.diagnosis = {0, "", 12, "input", {}};
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::input_modified);
  EXPECT_THAT(record.message, HasSubstr("12 elements of input 'input' changed"));
}

TEST_F(CaseRunTest, ACandidateThatKeepsTheMemoryOfOthersIsRetired) {
  arena_.candidate_hogs_memory = true;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::memory_limit);
  EXPECT_TRUE(arena_.retired);
  EXPECT_EQ(arena_.order, "");
}

TEST_F(CaseRunTest, AFailureOfTheTrustedIsNoVerdictOnTheCandidate) {
  arena_.reference_comparison = outputs_off_by(0.5);
  const auto disagreeing = try_run();
  ASSERT_FALSE(disagreeing.ok());
  EXPECT_THAT(disagreeing.error().message, HasSubstr("the reference fails on case 'large'"));
  arena_.oracle_report.cuda_error = 2;
  const auto failing = try_run();
  ASSERT_FALSE(failing.ok());
  EXPECT_THAT(failing.error().message, HasSubstr("the oracle fails on case 'large'"));
}

TEST_F(CaseRunTest, WithoutSpeedThereAreSamplesButNoSpeedup) {
  arena_.info.measures_speed = false;
  const CaseRecord record = run();
  EXPECT_EQ(record.candidate_ms.size(), 2u);
  EXPECT_FALSE(record.speedup);
}

TEST_F(CaseRunTest, StagesAddUpByTheClock) {
  run_briefly();
  std::map<std::string, double> seconds;
  for (const StageTime& stage : stages_.stages()) seconds[stage.name] = stage.seconds;
  EXPECT_DOUBLE_EQ(seconds["oracle"], 5 + 1);
  EXPECT_DOUBLE_EQ(seconds["reference"], 5);
  EXPECT_DOUBLE_EQ(seconds["candidate"], 5 + 3);
}

}  // namespace
}  // namespace kgrade
