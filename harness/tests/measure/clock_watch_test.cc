#include "measure/clock_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade {
namespace {

// On a device where a call takes 1 ms and the protocol nothing.
CallReport report_of(bool queued, double left_out_ms) {
  CallReport report;
  report.elapsed_ms = 1 - left_out_ms;
  report.settled_ms = 1;
  report.queued = queued;
  return report;
}

class WatchedClock : public testing::Test {
 protected:
  void reference_calls(int number, bool queued) {
    for (int i = 0; i < number; ++i) watch_.saw_reference(report_of(queued, 0), 1);
  }
  void candidate_calls(int number, bool queued, double left_out_ms = 0) {
    for (int i = 0; i < number; ++i) watch_.saw_candidate(report_of(queued, left_out_ms), 1);
  }
  std::optional<std::string> suspicion() const { return watch_.suspicion(clock_tolerance(TimesFor::speed)); }

  ClockWatch watch_;
};

// From one in eight on they are too many to be left out of account; see ClockTolerance::calls.
TEST_F(WatchedClock, AsksForTheReferencesUnqueuedCallsWhereThoseOfTheCandidateCount) {
  reference_calls(32, true);
  candidate_calls(29, true);
  candidate_calls(3, false);
  EXPECT_FALSE(watch_.missing(0));
  candidate_calls(1, false);
  const auto missing = watch_.missing(0);
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->ahead);
  EXPECT_TRUE(missing->captures);
  reference_calls(3, false);
  EXPECT_FALSE(watch_.missing(0)) << "there they are";
}

TEST_F(WatchedClock, TwoUnqueuedCallsAreTooFewToAskFor) {
  reference_calls(8, true);
  candidate_calls(6, true);
  candidate_calls(2, false);
  EXPECT_FALSE(watch_.missing(0));
}

// Who waits for the device in the last calls alone has no larger lies believed in those.
TEST_F(WatchedClock, ALieInAFifthOfTheCallsWhichAreNotQueuedIsFound) {
  reference_calls(40, true);
  candidate_calls(32, true);
  candidate_calls(8, false, 0.125);
  EXPECT_FALSE(suspicion()) << "nobody knows yet how long such calls take";
  ASSERT_TRUE(watch_.missing(0));
  reference_calls(3, false);
  EXPECT_TRUE(suspicion());
}

TEST_F(WatchedClock, WhereNoneOfTheReferenceAreAlikeLargeLiesAreFoundToo) {
  reference_calls(40, true);
  candidate_calls(32, true);
  candidate_calls(8, false, 0.25);
  EXPECT_TRUE(suspicion());
}

// A hostile worker can leave out the copy that is made of its outputs, and where it says that the cache keeps
// lines for it, no clock is held against such calls.
TEST_F(WatchedClock, NotEvenOneSampleIsFarShorterThanWhereNothingIsCopied) {
  for (const bool captures : {true, false}) {
    for (int i = 0; i < 32; ++i) {
      CallReport report = report_of(true, 0);
      watch_.saw_reference(report, 1, {true, captures});
      report.keeps_lines = true;
      watch_.saw_candidate(report, 1, {true, captures});
    }
  }
  // Of 1 ms, 0.04 ms: the noise of many calls; four times that: of one.
  watch_.saw_candidate(report_of(true, 0.5), 1);
  EXPECT_FALSE(suspicion()) << "it becomes no speed";
  watch_.saw_candidate(report_of(true, 0.159), 1, {}, true);
  EXPECT_FALSE(suspicion());
  watch_.saw_candidate(report_of(true, 0.161), 1, {}, true);
  EXPECT_THAT(suspicion().value_or(""), testing::EndsWith("1 of the 2 samples report no more than 0.839 ms"));
  for (int i = 0; i < 14; ++i) watch_.saw_candidate(report_of(true, 0), 1, {}, true);
  EXPECT_FALSE(suspicion()) << "one in sixteen moves no speed";
}

// A device that is slow at the end of a case, as it is when it has become hot, makes no liars.
TEST_F(WatchedClock, TheFastestOfTheCallsThatTheClockIsCloseToIsTheMeasure) {
  const CallKind close{true, false};
  for (int i = 0; i < 8; ++i) {
    for (const CallKind kind : {CallKind{}, close}) watch_.saw_reference(report_of(true, 0), 1, kind);
    watch_.saw_candidate(report_of(true, 0), 1, {}, true);
  }
  CallReport slow = report_of(true, 0);
  slow.elapsed_ms = slow.settled_ms = 32;
  for (int i = 0; i < 4; ++i) watch_.saw_candidate(slow, 1, close);
  EXPECT_TRUE(suspicion());
  watch_.saw_candidate(report_of(true, 0), 1, close);
  EXPECT_FALSE(suspicion());
}

}  // namespace
}  // namespace kgrade
