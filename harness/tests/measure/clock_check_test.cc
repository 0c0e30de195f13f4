#include "measure/clock_check.h"

#include <gtest/gtest.h>

namespace kgrade {
namespace {

using Readings = std::vector<ClockReading>;

constexpr ClockTolerance tolerance{0.125, 0.25};

// A call that takes 1 ms, with so much more by the referee's clock.
ClockReading with_overhead(double overhead) { return {1, 1 + overhead}; }
Readings three(double overhead) { return Readings(3, with_overhead(overhead)); }

TEST(ClockCheck, TimesThatAgreeAreExplained) {
  EXPECT_FALSE(unexplained_time(three(0.25), three(0.25), tolerance));
  EXPECT_FALSE(unexplained_time(three(0.25), three(5), tolerance)) << "the reference may take longer";
}

// Of the referee's 2 ms a quarter and the 0.125 ms that are always allowed: 0.625 ms.
TEST(ClockCheck, TheToleranceIsATimeAndAShare) {
  EXPECT_FALSE(unexplained_time(three(1), three(0.375), tolerance));
  EXPECT_TRUE(unexplained_time(three(1), three(0.374), tolerance));
}

TEST(ClockCheck, SaysHowMuchTimeIsMissing) {
  EXPECT_EQ(
      unexplained_time(three(1), three(0.25), tolerance),
      "3 of its 3 faster calls take longer by the referee's clock than they report, by 0.750 ms (median; "
      "0.250 ms of the protocol's own are allowed for)");
}

// Nine calls with 0 to 0.8 ms of the protocol's own: 0.4 ms in the middle, and from that a median of 0.2 ms.
TEST(ClockCheck, WhereTheReferencesCallsDifferThatIsAllowedForToo) {
  Readings reference;
  for (int i = 0; i < 9; ++i) reference.push_back(with_overhead(0.1 * i));
  const ClockTolerance exact{0, 0};
  EXPECT_FALSE(unexplained_time(three(0.79), reference, exact));
  EXPECT_TRUE(unexplained_time(three(0.81), reference, exact));
}

TEST(ClockCheck, LongCallsMayBeOffByMore) {
  const Readings reference = three(0.25);
  EXPECT_FALSE(unexplained_time(Readings(3, {1000, 1250}), reference, tolerance));
  EXPECT_TRUE(unexplained_time(Readings(3, {1000, 1350}), reference, tolerance));
}

// Calls that take 1 ms and a little more each.
Readings many(int number) {
  Readings readings;
  for (int i = 0; i < number; ++i) readings.push_back({1 + i / 1024.0, 1 + i / 1024.0});
  return readings;
}

// A machine that does other things makes some calls long.
TEST(ClockCheck, WhatHalfOfTheFasterCallsLeaveUnexplainedMayBeTheMachinesDoing) {
  Readings candidate = many(8);
  candidate[0].settled = candidate[1].settled = 100;
  EXPECT_FALSE(unexplained_time(candidate, three(0), tolerance));
  candidate[2].settled = 100;
  EXPECT_TRUE(unexplained_time(candidate, three(0), tolerance));
  Readings reference = three(0.25);
  reference.push_back(with_overhead(100));
  EXPECT_TRUE(unexplained_time(three(1), reference, tolerance)) << "one slow reference excuses nothing";
}

TEST(ClockCheck, OneHonestCallAcquitsNobodyOfTheOthers) {
  Readings candidate = three(100);
  candidate.push_back(with_overhead(0));
  EXPECT_TRUE(unexplained_time(candidate, three(0), tolerance));
}

// Speeds come from all samples, not from their median.
TEST(ClockCheck, HowManyCallsMayBeBeyondItIsATolerancesToo) {
  ClockTolerance few = tolerance;
  few.calls = 0.25;
  Readings candidate = many(16);
  candidate[0].settled = candidate[4].settled = 100;
  EXPECT_FALSE(unexplained_time(candidate, three(0), few));
  candidate[7].settled = 100;
  EXPECT_TRUE(unexplained_time(candidate, three(0), few));
  EXPECT_FALSE(unexplained_time(candidate, three(0), tolerance));
  Readings one = three(0);
  one[0] = with_overhead(100);
  EXPECT_FALSE(unexplained_time(one, three(0), few)) << "one alone is the machine's";
}

TEST(ClockCheck, WhoReportsTheSameInAllCallsHasNoMoreOfThemBeyondIt) {
  ClockTolerance few = tolerance;
  few.calls = 0.25;
  Readings candidate(16, with_overhead(0));
  for (int i = 0; i < 3; ++i) candidate[i].settled = 100;
  EXPECT_TRUE(unexplained_time(candidate, three(0), few));
}

// Of two samples one lie makes a speed. What a busy machine does makes no call shorter than the honest ones.
TEST(ClockCheck, WhatTheClockDoesNotExplainMayNotBeShorterThanAllThatItDoesExplain) {
  ClockTolerance close{0.0625, 0, 0, 0, 0.25, 0.25};
  Readings candidate(8, with_overhead(0));
  candidate[3] = {1, 100};
  EXPECT_FALSE(unexplained_time(candidate, three(0), close));
  candidate[3] = {0.6875, 100};  // 1 ms less a quarter, less a sixteenth
  EXPECT_FALSE(unexplained_time(candidate, three(0), close));
  candidate[3] = {0.6874, 100};
  EXPECT_EQ(
      unexplained_time(candidate, three(0), close),
      "a call reports 0.687 ms and takes 99.313 ms longer by the referee's clock (beyond 0.000 ms of the "
      "protocol's own); of the calls that agree with that clock, none reports less than 1.000 ms");
  close.shorter = 0;
  EXPECT_FALSE(unexplained_time(candidate, three(0), close)) << "where no speed comes of it";
}

TEST(ClockCheck, ShortCallsThatTheClockExplainsAreShort) {
  const ClockTolerance close{0.0625, 0, 0, 0, 0.25, 0.25};
  Readings candidate(8, with_overhead(0));
  candidate[3] = {0.001, 0.001};
  EXPECT_FALSE(unexplained_time(candidate, three(0), close));
  candidate[5] = {0.5, 100};
  EXPECT_FALSE(unexplained_time(candidate, three(0), close)) << "a disturbed one that can be as short";
}

// What is allowed for because nobody knows such calls makes them no measure for others.
TEST(ClockCheck, NoCallIsShortBesideOneOfWhichLittleIsKnown) {
  const ClockTolerance close{0.0625, 0, 0.0625, 1, 0.25, 0.25};
  Readings candidate(8, with_overhead(0));
  candidate[0] = {0.25, 1, false};
  candidate[3] = {0.5, 1};
  EXPECT_TRUE(unexplained_time(candidate, three(0), close));
  Readings reference = three(0);
  reference.insert(reference.end(), 3, ClockReading{0.25, 1, false});
  EXPECT_FALSE(unexplained_time(candidate, reference, close)) << "as the reference's take";
}

TEST(ClockCheck, WhereLittleIsKnownOfAllThatIsExplainedTheyAreTheMeasure) {
  const ClockTolerance close{0.0625, 0, 0.0625, 0.5, 0.25, 0.25};
  const ClockReading little_known{0.5, 1, false};
  const Readings candidate = {little_known, {0.001, 1}, {0.75, 1}, little_known};
  EXPECT_TRUE(unexplained_time(candidate, three(0), close));
}

TEST(ClockCheck, TheLeastThatItExplainsIsThatOfAnHonestCall) {
  const ClockTolerance close{0.0625, 0, 0.0625, 0.5};
  EXPECT_EQ(least_explained({{1, 1}, {0.75, 1}, {2, 2}}, three(0), close), 1);
  EXPECT_EQ(least_explained({{1, 1}, {0.5, 1, false}}, three(0), close), 1) << "of which little is known";
  EXPECT_EQ(least_explained({{0.75, 1}, {0.5, 1, false}}, three(0), close), 0.5)
      << "unless there is no other";
  EXPECT_EQ(least_explained({{0.75, 1}}, three(0), close), std::nullopt);
  EXPECT_EQ(least_explained({{1, 1}}, {}, close), std::nullopt);
}

// Whoever wants another median reports less in more than half of the calls.
TEST(ClockCheck, ALieInMoreThanHalfOfTheCallsIsFoundThoughTheOthersAreHonest) {
  Readings candidate(4, ClockReading{0.5, 3});
  candidate.insert(candidate.end(), 3, ClockReading{3, 3});
  EXPECT_TRUE(unexplained_time(candidate, three(0), tolerance));
}

TEST(ClockCheck, CallsThatDidNotWaitAtTheGateMayBeOffByMoreAndByStillMoreWhereNobodyElsesDidSo) {
  const ClockTolerance with_more{0.125, 0, 0.25, 0.5};
  EXPECT_FALSE(unexplained_time(Readings(3, {1, 1.85, false}), three(0), with_more));
  EXPECT_TRUE(unexplained_time(Readings(3, {1, 1.9, false}), three(0), with_more));
  EXPECT_TRUE(unexplained_time(Readings(3, {1, 1.85, true}), three(0), with_more));
}

TEST(ClockCheck, EachCallIsHeldAgainstTheReferencesOfItsKind) {
  const ClockTolerance with_more{0.125, 0, 0.25, 0.5};
  Readings reference = three(0.25);
  reference.insert(reference.end(), 3, ClockReading{1, 1.5, false});
  EXPECT_FALSE(unexplained_time(Readings(3, {1, 1.85, false}), reference, with_more));
  EXPECT_TRUE(unexplained_time(Readings(3, {1, 1.9, false}), reference, with_more));
  EXPECT_FALSE(unexplained_time(Readings(3, {1, 1.375, true}), reference, with_more));
  EXPECT_TRUE(unexplained_time(Readings(3, {1, 1.4, true}), reference, with_more));
  reference.pop_back();  // two of a kind are too few
  EXPECT_FALSE(unexplained_time(Readings(3, {1, 1.9, false}), reference, with_more));
}

TEST(ClockCheck, FewerThanThreeSayNothing) {
  EXPECT_FALSE(unexplained_time(Readings(2, with_overhead(100)), three(0), tolerance));
  EXPECT_FALSE(unexplained_time(three(100), Readings(2, with_overhead(0)), tolerance));
  EXPECT_FALSE(unexplained_time({}, {}, tolerance));
}

TEST(ClockCheck, TimesThatBecomeASpeedAreHeldCloserThanOthers) {
  const ClockTolerance speed = clock_tolerance(TimesFor::speed);
  EXPECT_EQ(speed.milliseconds, 0.025);
  EXPECT_EQ(speed.share, 0.01);
  EXPECT_EQ(speed.not_hidden, 0.05);
  EXPECT_EQ(speed.shorter, 0.05);
  EXPECT_EQ(clock_tolerance(TimesFor::answers).milliseconds, 0.1);
  EXPECT_EQ(clock_tolerance(TimesFor::nothing).milliseconds, 50);
}

}  // namespace
}  // namespace kgrade
