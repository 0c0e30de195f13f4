// What only all times of a case together show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draw/draws.h"
#include "tests/support/case_fixture.h"

namespace kgrade {
namespace {

using test::outputs_off_by;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CaseTimes : public test::CaseFixture {
 protected:
  // A device that takes a millisecond to read the only input.
  void set_bound_of_one_ms() {
    arena_.info.peak_bytes_per_second = 4e9;
    case_.tensors = {{"input", 0, false, {1'000'000}, 1'000'000, {}}};
  }

  // One that takes as long to copy the only output.
  void make_captures_long() {
    arena_.info.peak_bytes_per_second = 8e6;
    case_.tensors = {{"output", 0, true, {1'000}, 1'000, {}}};
  }
};

TEST_F(CaseTimes, HonestTimesPassEveryCheck) {
  arena_.candidate_ms = {1000, 1.5, 1, 1.5, 1.25, 1.25, 1.5};
  set_bound_of_one_ms();
  expect_accepted(run_briefly());
  for (const char* name : {"clock", "idle", "lower_bound", "repeat_speed", "steady_speed"}) {
    EXPECT_EQ(outcome(name), CheckOutcome::passed) << name;
  }
  EXPECT_EQ(outcome("reference_agreement"), CheckOutcome::not_run) << "nobody has looked yet";
}

TEST_F(CaseTimes, WorkThatIsNotReportedIsALie) {
  arena_.candidate_hides_ms = 1;
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::cheating, "clock");
  EXPECT_THAT(record.message, HasSubstr("longer by the referee's clock than they report, by 1.000 ms"));
  EXPECT_TRUE(record.comparisons.empty());
}

TEST_F(CaseTimes, ALittleMoreThanTheReferencesProtocolIsNone) {
  arena_.candidate_hides_ms = 0.03125;
  expect_accepted(run_briefly());
  arena_.candidate_hides_ms = 0.125;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
}

// Who waits for the device within his calls is called without the gate, and that takes longer.
TEST_F(CaseTimes, CallsThatCannotBeQueuedAreHeldAgainstCallsOfTheReferenceThatWereNot) {
  arena_.candidate_report.queued = false;
  arena_.unqueued_ms = 0.25;
  arena_.candidate_hides_ms = 0.0625;
  expect_accepted(run_briefly());
  EXPECT_THAT(arena_.order, EndsWith("ououououou"));
  arena_.candidate_hides_ms = 0.125;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
}

// Whether launches were queued, the worker says; whether they waited at the gate, the referee knows.
TEST_F(CaseTimes, WhoWasQueuedIsNotHeldAgainstCallsThatWereNot) {
  arena_.candidate_report.latency_hidden = false;
  arena_.unqueued_ms = 0.25;
  arena_.candidate_hides_ms = 0.125;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
  EXPECT_THAT(arena_.order, Not(HasSubstr("u")));
}

TEST_F(CaseTimes, TheReferenceIsCalledUnqueuedForNobodyElse) {
  expect_accepted(run_briefly());
  EXPECT_THAT(arena_.order, Not(HasSubstr("u")));
  EXPECT_THAT(arena_.order, Not(HasSubstr("C")));
}

// A worker that does not copy its outputs to where they are captured has so much time for something else.
TEST_F(CaseTimes, WhereCapturesTakeLongTheClockIsLookedAtWithoutThem) {
  make_captures_long();
  expect_accepted(run_briefly());
  EXPECT_THAT(arena_.order, EndsWith("oRCoRCoRCoRCoRC"));
  arena_.candidate_hides_uncaptured_ms = 0.125;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
  arena_.candidate_hides_uncaptured_ms = 0;
  arena_.candidate_owns_up_ms = 0.125;
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::cheating, "clock");
  EXPECT_THAT(record.message, HasSubstr("where outputs are not copied"));
  EXPECT_THAT(waits_, ElementsAre(100, 200, 400, 800, 1600, 3200)) << "until the machine should be quiet";
}

// Another process that starts can make a few calls in a row slow.
TEST_F(CaseTimes, NobodyIsALiarForAHandfulOfSlowCalls) {
  make_captures_long();
  arena_.candidate_owns_up_ms = 0.5;
  arena_.before_call = [this](Player, const Draw&) {
    if (arena_.order.ends_with("oRCoRCoRCoRCoRCo")) arena_.candidate_owns_up_ms = 0;
  };
  expect_accepted(run_briefly());
  EXPECT_THAT(arena_.order, EndsWith("coRCoRCoRCoRCoRCoRCoRCoRCoRCoRC"));
  EXPECT_THAT(waits_, ElementsAre(100));
}

// It has more of them made than there are others, and leaves nothing running before those alone.
TEST_F(CaseTimes, TheCallsForTheClockDoNotShowWhetherTheDeviceIsBusyBetweenTheOthers) {
  make_captures_long();
  arena_.candidate_owns_up_ms = 0.5;
  arena_.before_call = [this](Player, const Draw&) {
    if (arena_.order.ends_with("oRCoRCoRCoRCoRCoRCo")) arena_.candidate_owns_up_ms = 0;
    arena_.candidate_report.waited_ms = arena_.order.ends_with("R") ? 0 : 0.5;
  };
  expect_failed(run_briefly(), Verdict::cheating, "idle");
  EXPECT_THAT(waits_, ElementsAre(100));
}

// No calls are added to those in which it hides what it does.
TEST_F(CaseTimes, WhoHidesTimeInTheCallsForTheClockIsGivenNoMoreOfThem) {
  make_captures_long();
  arena_.candidate_owns_up_ms = 0.5;
  arena_.candidate_hides_uncaptured_ms = 0.5 + 0.125;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(CaseTimes, TimesOfCallsThatAreNotQueuedAheadDifferByMore) {
  make_captures_long();
  arena_.candidate_owns_up_ms = arena_.candidate_hides_uncaptured_ms = 0.0625;
  arena_.candidate_report.queued = false;
  expect_accepted(run_briefly());
  arena_.candidate_report.queued = true;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
}

TEST_F(CaseTimes, WhoIsSlowerWhereItCountsGainsNothing) {
  make_captures_long();
  arena_.candidate_owns_up_ms = arena_.candidate_hides_uncaptured_ms = -0.125;
  expect_accepted(run_briefly());
}

TEST_F(CaseTimes, OutputsCountInTheCallsForTheClockToo) {
  make_captures_long();
  arena_.before_call = [this](Player, const Draw&) {
    if (arena_.order.ends_with("oRCoR")) arena_.candidate_comparison = outputs_off_by(0.5);
  };
  expect_failed(run_briefly(), Verdict::wrong_answer, "outputs_match");
  EXPECT_THAT(arena_.order, EndsWith("oRCoRC"));
}

TEST_F(CaseTimes, WhoCrashesInTheCallsForTheClockIsRetired) {
  make_captures_long();
  arena_.before_call = [this](Player, const Draw&) {
    if (arena_.order.ends_with("oRCoR")) arena_.candidate_report.cuda_error = 700;
  };
  expect_failed(run_briefly(), Verdict::runtime_error, "device_errors");
  EXPECT_TRUE(arena_.retired);
}

// Who has the cache keep lines makes the capture slow, which is no lie.
TEST_F(CaseTimes, WhoHasTheCacheKeepLinesIsHeldAgainstTheClockWhereNothingIsCaptured) {
  arena_.candidate_report.keeps_lines = true;
  arena_.candidate_hides_ms = 0.5;
  expect_accepted(run_briefly());
  EXPECT_THAT(arena_.order, EndsWith("oRCoRCoRCoRCoRC"));
  arena_.candidate_hides_uncaptured_ms = 0.125;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
}

TEST_F(CaseTimes, WhoIsHonestThereAloneIsALiar) {
  arena_.candidate_report.keeps_lines = true;
  arena_.candidate_hides_ms = 0.5;
  arena_.candidate_owns_up_ms = 0.5;
  expect_failed(run_briefly(), Verdict::cheating, "clock");
}

TEST_F(CaseTimes, WhereSpeedIsNotMeasuredClocksAreNotHeldToMuch) {
  arena_.info.measures_speed = false;
  arena_.candidate_hides_ms = 20;
  expect_accepted(run());
  arena_.candidate_hides_ms = 200;
  expect_failed(run(), Verdict::cheating, "clock");
}

TEST_F(CaseTimes, NothingIsFasterThanTheDevice) {
  set_bound_of_one_ms();
  arena_.candidate_ms = {0.875};
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::cheating, "lower_bound");
  EXPECT_EQ(record.lower_bound_ms, 1);
  EXPECT_TRUE(record.comparisons.empty());
}

TEST_F(CaseTimes, WhatIsNotMeasuredHasNoBound) {
  set_bound_of_one_ms();
  case_.role = CaseRole::test;
  arena_.candidate_ms = {0.001};
  const CaseRecord record = run();
  expect_accepted(record);
  EXPECT_EQ(record.lower_bound_ms, 0);
  EXPECT_EQ(outcome("lower_bound"), CheckOutcome::not_run);
  EXPECT_EQ(outcome("repeat_speed"), CheckOutcome::not_run);
}

TEST_F(CaseTimes, OneThatKnowsItsContentsAgainIsFasterOnThem) {
  arena_.candidate_ms = {1000, 4, 4, 4, 4, 1, 1, 4};
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::cheating, "repeat_speed");
  EXPECT_THAT(record.message, HasSubstr("4.000 ms at least on new inputs, 1.000 ms at most"));
}

TEST_F(CaseTimes, OneThatComputesOnlyWhatHasChangedIsFasterThere) {
  arena_.before_call = [this](Player, const Draw& draw) {
    arena_.candidate_ms = {is_small_change(draw) && arena_.order.back() == 'o' ? 1.0 : 4.0};
  };
  const CaseRecord record = run_briefly();
  expect_failed(record, Verdict::cheating, "repeat_speed");
  EXPECT_THAT(record.candidate_ms, testing::Each(4));
}

TEST_F(CaseTimes, OneThatKnowsWhenItIsMeasuredIsFasterThen) {
  arena_.candidate_ms = {1000, 4, 1, 1, 1, 1, 1, 4};
  expect_failed(run_briefly(), Verdict::cheating, "steady_speed");
}

TEST_F(CaseTimes, TheWarmUpOfAProcessIsNoCallThatNobodyMeasures) {
  arena_.candidate_ms = {4, 1, 1, 1, 1, 1, 1};
  expect_accepted(run_briefly());
}

TEST_F(CaseTimes, TheFirstFindingIsTheVerdictAndAllAreNoted) {
  set_bound_of_one_ms();
  arena_.candidate_ms = {1000, 0.5, 0.5, 0.5, 0.5, 0.125, 0.125, 0.5};
  const CaseRecord record = run_briefly();
  EXPECT_EQ(record.verdict, Verdict::cheating);
  EXPECT_THAT(record.message, HasSubstr("memory and arithmetic"));
  EXPECT_EQ(outcome("lower_bound"), CheckOutcome::failed);
  EXPECT_EQ(outcome("repeat_speed"), CheckOutcome::failed);
  EXPECT_EQ(outcome("steady_speed"), CheckOutcome::passed);
}

TEST_F(CaseTimes, AWrongAnswerIsNotTimed) {
  set_bound_of_one_ms();
  arena_.candidate_ms = {0.001};
  arena_.candidate_comparison = test::outputs_off_by(0.5);
  expect_failed(run_briefly(), Verdict::wrong_answer, "outputs_match");
  EXPECT_EQ(outcome("lower_bound"), CheckOutcome::not_run);
}

}  // namespace
}  // namespace kgrade
