#include "grade/clock_watch.h"

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

// One in eight is no noise any more; see ClockTolerance::calls.
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

}  // namespace
}  // namespace kgrade
