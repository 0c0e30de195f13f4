// What only all times of a case together can reveal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "draw/draws.h"
#include "measure/clock_rule.h"
#include "tests/support/case_fixture.h"

namespace kgrade {
namespace case_times_test {

using test::outputs_off_by;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CaseTimes : public test::CaseFixture {
 protected:
  // A device that takes a millisecond to read the only input.
  void set_bound_of_one_ms() {
    contest_.info.peak_bytes_per_second = 4e9;
    case_.tensors = {{"input", 0, false, {1'000'000}, 1'000'000, {ResolvedInit::Kind::constant}}};
  }

  // A device that takes as long to copy the only output.
  void make_captures_long() {
    contest_.info.peak_bytes_per_second = 8e6;
    case_.tensors = {{"output", 0, true, {1'000}, 1'000, {}}};
  }

  int hidden_calls_ = 0;
};

TEST_F(CaseTimes, HonestTimesPassEveryCheck) {
  contest_.candidate_ms = {1000, 1.5, 1, 1.5, 1.25, 1.25, 1.5};
  set_bound_of_one_ms();
  expect_accepted(run_briefly());
  for (const char* name : {"clock", "idle", "lower_bound"}) {
    EXPECT_EQ(outcome(name), CheckOutcome::passed) << name;
  }
  EXPECT_EQ(outcome("reference_agreement"), CheckOutcome::not_run) << "not checked yet";
}

// The referee's clock sees it, and counts it minus the protocol and a tolerance.
TEST_F(CaseTimes, TimeThatIsNotReportedCountsAllTheSame) {
  contest_.before_call = [this](Role role, const Draw&) {
    if (role == Role::candidate) contest_.candidate_hides_ms = ++hidden_calls_ % 5 == 0 ? 1 : 0;
  };
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  for (const double ms : candidate_ms(record)) {
    EXPECT_TRUE(ms == 1 || std::abs(ms - (2 - 0.025 - 0.01 * 2.75)) < 1e-9) << ms;
  }
}

TEST_F(CaseTimes, AWorkerThatLeavesOutTimeInMostCallsHasNoSpeed) {
  contest_.candidate_hides_ms = 1;
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::unstable, "clock");
  EXPECT_THAT(record.message, HasSubstr("2 of 2 calls of the candidate and 0 of the reference took longer"));
  EXPECT_TRUE(record.speedups.empty());
  EXPECT_NEAR(candidate_ms(record).front(), 2 - 0.025 - 0.01 * 2.75, 1e-9);
}

// What a lying worker hides of its calls of 1 ms, by the fake referee's clock: the ways of the cheats in
// harness/tests/cheats/timing.
struct Lie {
  std::string name;
  std::function<double(int call)> hidden_ms;
};

class LyingWorker : public CaseTimes, public testing::WithParamInterface<Lie> {};

// The speedup that the reference's 2 ms against the true time gives may be exceeded by the tolerance only.
TEST_P(LyingWorker, HasNoSpeedOrGainsTheToleranceAtMost) {
  contest_.before_call = [this](Role role, const Draw&) {
    if (role != Role::candidate) return;
    const double hidden = GetParam().hidden_ms(hidden_calls_++);
    contest_.candidate_hides_ms = hidden;
    contest_.candidate_ms = {1 - hidden};
  };
  const CaseRecord record = run();
  if (record.verdict == Verdict::unstable) {
    EXPECT_TRUE(record.speedups.empty());
    return;
  }
  expect_accepted(record);
  ASSERT_FALSE(record.speedups.empty());
  constexpr double truth_ms = 1;
  const double settled_ms = truth_ms + 0.75;  // with what the fake contest's protocol takes
  const double tolerance_ms = clock_tolerance_ms + clock_tolerance_share * settled_ms;
  EXPECT_LE(record.speedups.front().ratio.ratio, 2 / (truth_ms - tolerance_ms) + 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Lies, LyingWorker,
                         testing::Values(Lie{"NearlyAll", [](int) { return 0.9; }},
                                         Lie{"ATenth", [](int) { return 0.1; }},
                                         Lie{"LessThanTheTolerance", [](int) { return 0.02; }},
                                         Lie{"ALittleMore", [](int) { return 0.06; }},
                                         Lie{"InMostCalls", [](int call) { return call % 4 != 0 ? 0.5 : 0; }},
                                         Lie{"NowAndThen", [](int call) { return call % 5 == 0 ? 0.5 : 0; }},
                                         Lie{"MoreAndMore", [](int call) { return call / (call + 9.0); }}),
                         [](const auto& lie) { return lie.param.name; });

TEST_F(CaseTimes, AMachineThatSlowsTheReferencesCallsGivesNoSpeedEither) {
  contest_.before_call = [this](Role role, const Draw&) {
    if (role == Role::reference) contest_.unqueued_ms = ++hidden_calls_ % 2 == 0 ? 1 : 0;
    contest_.reference_report.queued = role != Role::reference;
  };
  contest_.reference_report.queued = false;
  expect_failed(run_briefly(), Verdict::unstable, "clock");
}

TEST_F(CaseTimes, ALittleMoreThanTheReferencesProtocolIsNone) {
  contest_.candidate_hides_ms = 0.03125;
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  EXPECT_THAT(candidate_ms(record), testing::Each(1));
  ASSERT_TRUE(record.clock);
  EXPECT_EQ(record.clock->raised_candidate, 0u);
  EXPECT_NEAR(record.clock->attested_share, 1 + 0.03125 - 0.025 - 0.01 * 1.78125, 1e-9);
}

// A candidate that waits for the device within its calls is called without the gate, and that takes longer.
TEST_F(CaseTimes, CallsThatCannotBeQueuedAreHeldAgainstCallsOfTheReferenceThatWereNot) {
  contest_.candidate_report.queued = false;
  contest_.unqueued_ms = 0.25;
  contest_.candidate_hides_ms = 0.0625;
  expect_accepted(run_briefly());
  EXPECT_THAT(contest_.order, HasSubstr("ououououou"));
  contest_.candidate_hides_ms = 0.25;
  expect_failed(run_briefly(), Verdict::unstable, "clock");
}

TEST_F(CaseTimes, TheReferenceIsCalledUnqueuedForNoOtherCandidate) {
  expect_accepted(run_briefly());
  EXPECT_THAT(contest_.order, Not(HasSubstr("u")));
  EXPECT_THAT(contest_.order, Not(HasSubstr("C")));
}

// A worker that does not copy its outputs to the capture buffers can use that time for something else.
TEST_F(CaseTimes, WhereCapturesTakeLongEverySecondBlockGoesWithoutThem) {
  make_captures_long();
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_THAT(contest_.order, HasSubstr("RC"));
  const auto& blocks = record.measurement->processes.front().blocks;
  const auto counted =
      std::count_if(blocks.begin(), blocks.end(), [](const Block& b) { return b.voided.empty(); });
  EXPECT_EQ(2 * static_cast<std::size_t>(counted), blocks.size());
}

TEST_F(CaseTimes, AShortRunHasTwoBlocksOfEachHalf) {
  make_captures_long();
  effort_ = Effort::quick;
  const CaseRecord record = run();
  expect_accepted(record);
  const ProcessBlocks& process = record.measurement->processes.front();
  EXPECT_EQ(process.end, BlockEnd::precise);
  EXPECT_EQ(process.blocks.size(), 4u);
  EXPECT_EQ(record.speedups.front().ratio.count, 2u);
  EXPECT_EQ(record.speedups.front().ratio.statement(), Statement::faster);
}

TEST_F(CaseTimes, TheHalfOfTheBlocksWithTheLowerSpeedupCounts) {
  make_captures_long();
  contest_.candidate_owns_up_ms = 0.25;
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_THAT(candidate_ms(record), testing::Each(1.25));
  EXPECT_NEAR(record.speedups.front().ratio.ratio, 2 / 1.25, 1e-9);
}

// Copying then takes an honest worker up to three times as long.
TEST_F(CaseTimes, ACandidateThatHasTheCacheKeepLinesIsMeasuredWithoutCaptures) {
  contest_.candidate_report.keeps_lines = true;
  contest_.candidate_hides_ms = 0.5;
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  EXPECT_THAT(candidate_ms(record), testing::Each(1));
  EXPECT_THAT(contest_.order, HasSubstr("RC"));
}

TEST_F(CaseTimes, WhereTimesAreNoSpeedTheClockIsNotLookedAt) {
  contest_.info.measures_speed = false;
  contest_.candidate_hides_ms = 200;
  expect_accepted(run());
}

TEST_F(CaseTimes, ADeviceThatIsBusyBetweenCallsGivesNoSpeed) {
  contest_.candidate_report.waited_ms = 0.5;
  expect_failed(run(), Verdict::unstable, "idle");
}

TEST_F(CaseTimes, NothingIsFasterThanTheDevice) {
  set_bound_of_one_ms();
  contest_.candidate_ms = {0.875};
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::unstable, "lower_bound");
  EXPECT_EQ(record.lower_bound_ms, 1);
  EXPECT_TRUE(record.speedups.empty());
}

TEST_F(CaseTimes, WhatIsNotMeasuredHasNoBound) {
  set_bound_of_one_ms();
  case_.role = CaseRole::test;
  contest_.candidate_ms = {0.001};
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_EQ(record.lower_bound_ms, 0);
  EXPECT_EQ(outcome("lower_bound"), CheckOutcome::not_run);
}

// Contents are new in every sample, so that nothing is gained.
TEST_F(CaseTimes, OneThatKnowsItsContentsAgainIsNoted) {
  contest_.candidate_ms = {1000, 4, 4, 4, 4, 1, 1, 4};
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  EXPECT_THAT(record.notes, ElementsAre(HasSubstr("4.000 ms at least on new inputs, 1.000 ms at most")));
}

TEST_F(CaseTimes, OneThatComputesOnlyWhatHasChangedIsNoted) {
  contest_.before_call = [this](Role, const Draw& draw) {
    contest_.candidate_ms = {is_small_change(draw) && contest_.order.back() == 'o' ? 1.0 : 4.0};
  };
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  EXPECT_THAT(record.notes, Not(IsEmpty()));
  EXPECT_THAT(candidate_ms(record), testing::Each(4));
}

TEST_F(CaseTimes, OneThatIsFasterWhereItIsMeasuredIsNoted) {
  contest_.candidate_ms = {1000, 4, 1, 1, 1, 1, 1, 4};
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  EXPECT_THAT(record.notes, ElementsAre(HasSubstr("calls that are not measured")));
}

TEST_F(CaseTimes, TheWarmUpOfAProcessIsNoCallThatNobodyMeasures) {
  contest_.candidate_ms = {4, 1, 1, 1, 1, 1, 1};
  const CaseRecord record = run_briefly();
  expect_accepted(record);
  EXPECT_THAT(record.notes, IsEmpty());
}

TEST_F(CaseTimes, AWrongAnswerIsNotTimed) {
  set_bound_of_one_ms();
  contest_.candidate_ms = {0.001};
  contest_.candidate_comparison = test::outputs_off_by(0.5);
  expect_failed(run_briefly(), Verdict::wrong_answer, "outputs_match");
  EXPECT_EQ(outcome("lower_bound"), CheckOutcome::not_run);
}

}  // namespace case_times_test
}  // namespace kgrade
