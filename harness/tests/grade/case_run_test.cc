#include "grade/case_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/case_fixture.h"

namespace kgrade {
namespace case_run_test {

using test::outputs_off_by;
using testing::EndsWith;
using testing::HasSubstr;

using CaseRunTest = test::CaseFixture;

TEST_F(CaseRunTest, AWrongAnswerEndsTheCaseAndSaysHowWrong) {
  contest_.candidate_comparison = outputs_off_by(0.5);
  contest_.candidate_comparison.worst_index = 37;
  contest_.wrong = 100;
  contest_.unwritten = 3;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_EQ(record.message,
            "'output': 100 of 100 elements wrong, the worst at [3, 7]; 3 as they were before the call");
  EXPECT_EQ(record.relative_error, 0.5);
  EXPECT_EQ(record.precision, Precision::none);
  EXPECT_TRUE(record.speedups.empty());
  EXPECT_EQ(contest_.order, "orc");
  EXPECT_EQ(outcome("outputs_match"), CheckOutcome::failed);
  EXPECT_EQ(outcome("guard_zones"), CheckOutcome::passed);
  EXPECT_EQ(outcome("precision"), CheckOutcome::not_run);
}

TEST_F(CaseRunTest, AWrongAnswerMayHaveNoElementThatIsWrongByItself) {
  contest_.candidate_comparison = outputs_off_by(0.5);
  contest_.candidate_comparison.worst_index = 37;
  contest_.wrong = 0;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_EQ(record.message,
            "'output': off by 5.0e-01 over the whole output (norm of the difference over norm), no element "
            "stands out, "
            "the worst at [3, 7]");
}

TEST_F(CaseRunTest, APrecisionBelowTheProblemsIsItsOwnVerdict) {
  contest_.candidate_comparison = outputs_off_by(3e-4);
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::low_precision);
  EXPECT_EQ(record.precision, Precision::tf32);
  EXPECT_THAT(record.message, HasSubstr("and fp32 is asked for"));
  problem_.precision = "tf32";
  EXPECT_EQ(run().verdict, Verdict::accepted);
}

// It is seen in what the calls left. To examine an output changes what the oracle's call left.
TEST_F(CaseRunTest, AnErrorInFewElementsIsABugAndSaysHowManyAreWrong) {
  contest_.candidate_comparison = outputs_off_by(3e-4);
  contest_.values.emplace();
  contest_.values->expected.assign(37, 1);
  contest_.values->got.assign(37, 1 + 1e-7);
  contest_.values->got[5] = 1.002;
  contest_.wrong = 1;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::wrong_answer);
  EXPECT_THAT(record.message, HasSubstr("'output': 1 of "));
  EXPECT_EQ(contest_.looks, "rx") << "examined once, when the verdict is known";
  contest_.values->got.assign(37, 1 + 3e-4);
  contest_.looks.clear();
  EXPECT_EQ(run().verdict, Verdict::low_precision);
  EXPECT_EQ(contest_.looks, "r");
}

// A class is not reached where the answer to other inputs is about as near.
TEST_F(CaseRunTest, WhetherAnAnswerReachesAClassDependsOnTheAnswerToOtherInputs) {
  contest_.candidate_comparison = outputs_off_by(3e-4);
  for (const auto& [apart, verdict] :
       {std::pair{1e-3, Verdict::wrong_answer}, std::pair{1.0, Verdict::low_precision}}) {
    SCOPED_TRACE(apart);
    contest_.expected_samples = {{{1, 2, 3}}, {{1 + apart, 2 + 2 * apart, 3 + 3 * apart}}};
    const CaseRecord record = run();
    EXPECT_EQ(record.verdict, verdict);
    EXPECT_THAT(contest_.order, EndsWith("orcoo")) << "once to other inputs, and to these again";
  }
}

TEST_F(CaseRunTest, ACandidateGetsTwentyTimesTheReferencesTimeButAtLeastTwoSeconds) {
  run();
  EXPECT_EQ(contest_.candidate_patience.front(), Patience(2000));
  contest_.reference_ms = {499.5};
  contest_.candidate_patience.clear();
  run();
  EXPECT_EQ(contest_.candidate_patience.front(), Patience(10'000));
  limit_ = Patience(123);
  contest_.candidate_patience.clear();
  run();
  EXPECT_EQ(contest_.candidate_patience.front(), Patience(123));
}

TEST_F(CaseRunTest, OneCaseRepeatsItsLastCallAndComparesBits) {
  case_.role = CaseRole::test;
  const CaseRecord once = run();
  EXPECT_FALSE(once.same_bits);
  const std::string calls = contest_.order;
  repeated_case_ = case_.name;
  contest_.order.clear();
  contest_.draws.clear();
  EXPECT_FALSE(run().same_bits) << "too large to be read";
  EXPECT_EQ(contest_.order, calls + "c");
  EXPECT_EQ(contest_.draws.back(), contest_.draws.end()[-2]);
  contest_.candidate_bits = {std::byte{1}};
  EXPECT_EQ(run().same_bits, true);
  contest_.candidate_bits = {std::byte{1}, std::byte{2}};
  const CaseRecord differs = run();
  EXPECT_EQ(differs.same_bits, false);
  EXPECT_EQ(differs.verdict, Verdict::accepted);
}

TEST_F(CaseRunTest, AMeasuredCaseComparesTheBitsOfItsRepeatedCalls) {
  contest_.candidate_bits = {std::byte{1}};
  EXPECT_EQ(run().same_bits, true);
  contest_.candidate_bits = {std::byte{1}, std::byte{1}, std::byte{2}};
  EXPECT_EQ(run().same_bits, false);
}

TEST_F(CaseRunTest, ATimeLimitIsAVerdict) {
  contest_.candidate_report.fault = Fault::time_limit;
  contest_.candidate_report.detail = "no answer within 2.0 s";
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::time_limit);
  EXPECT_EQ(record.calls, 0);
  EXPECT_EQ(outcome("completion"), CheckOutcome::failed);
  EXPECT_EQ(outcome("load"), CheckOutcome::passed);
}

TEST_F(CaseRunTest, ACrashIsExplainedAndTheWorkerRetired) {
  contest_.candidate_report.call.error = 700;
  EXPECT_EQ(run().verdict, Verdict::runtime_error);
  EXPECT_TRUE(contest_.retired);
  contest_.diagnosis = {0, "", 12, "input"};
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::input_modified);
  EXPECT_THAT(record.message, HasSubstr("12 elements of input 'input' changed"));
}

TEST_F(CaseRunTest, ACandidateThatKeepsTheMemoryOfOthersIsRetired) {
  contest_.candidate_hogs_memory = true;
  const CaseRecord record = run();
  EXPECT_EQ(record.verdict, Verdict::memory_limit);
  EXPECT_TRUE(contest_.retired);
  EXPECT_EQ(contest_.order, "");
}

TEST_F(CaseRunTest, AFailureOfTheTrustedIsNoVerdictOnTheCandidate) {
  contest_.reference_comparison = outputs_off_by(0.5);
  const auto disagreeing = try_run();
  ASSERT_FALSE(disagreeing.ok());
  EXPECT_THAT(disagreeing.error().message, HasSubstr("the reference fails on case 'large'"));
  contest_.oracle_report.call.error = 2;
  const auto failing = try_run();
  ASSERT_FALSE(failing.ok());
  EXPECT_THAT(failing.error().message, HasSubstr("the oracle fails on case 'large'"));
}

TEST_F(CaseRunTest, WithoutSpeedThereIsABlockButNoComparison) {
  contest_.info.measures_speed = false;
  const CaseRecord record = run();
  EXPECT_EQ(candidate_ms(record).size(), 2u);
  ASSERT_TRUE(record.measurement);
  EXPECT_EQ(record.measurement->processes.front().blocks.size(), 1u);
  EXPECT_TRUE(record.speedups.empty());
}

TEST_F(CaseRunTest, WithoutSpeedTimesShowNothing) {
  contest_.info.measures_speed = false;
  case_.role = CaseRole::test;
  contest_.candidate_ms = {1000, 1000, 5, 5, 5, 1000};
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_THAT(candidate_ms(record), testing::ElementsAre(1000));
  EXPECT_THAT(record.notes, testing::IsEmpty());
}

TEST_F(CaseRunTest, StagesAddUpByTheClock) {
  run_briefly();
  std::map<std::string, double> seconds;
  for (const StageTime& stage : stages_.stages()) seconds[stage.name] = stage.seconds;
  // Warm-up, a block, nearly unchanged contents, and a probe.
  EXPECT_DOUBLE_EQ(seconds["oracle"], 10 * (2 + 2 + 1 + 1));
  EXPECT_DOUBLE_EQ(seconds["reference"], 10 * (2 + 2));
  EXPECT_DOUBLE_EQ(seconds["candidate"], 10 * (2 + 2 + 1 + 3));
}

}  // namespace case_run_test
}  // namespace kgrade
