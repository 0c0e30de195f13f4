#include "measure/clock_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade {
namespace {

constexpr ClockKind queued{1, true, true};
constexpr ClockKind unqueued{1, false, true};
constexpr ClockKind uncaptured{1, true, false};

ClockReading reading(double reported, double overhead, ClockKind kind = queued) {
  return {reported, reported + overhead, kind};
}

ClockRule rule_with(std::vector<double> overheads, ClockKind kind = queued,
                    std::vector<ClockReading> alone = {}) {
  ClockRule rule(std::move(alone));
  for (const double overhead : overheads) rule.saw_reference(reading(2, overhead, kind));
  return rule;
}

TEST(ClockRule, ACallThatTheProtocolExplainsCountsAsReported) {
  const ClockRule rule = rule_with({0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(rule.counted_ms(reading(1, 0.5)), 1);
  EXPECT_FALSE(rule.raises(reading(1, 0.5)));
}

TEST(ClockRule, AWorkerThatReportsTooLittleGainsTheToleranceAndNoMore) {
  const ClockRule rule = rule_with({0.5, 0.5, 0.5});
  const ClockReading lie = reading(0.001, 0.5 + 4);
  EXPECT_TRUE(rule.raises(lie));
  EXPECT_NEAR(rule.counted_ms(lie), 4.001 - clock_tolerance_ms - clock_tolerance_share * 4.501, 1e-12);
}

TEST(ClockRule, ThatIsMoreForCallsThatWereNotQueued) {
  const double difference =
      clock_tolerance_of(reading(1, 0.5, unqueued)) - clock_tolerance_of(reading(1, 0.5));
  EXPECT_DOUBLE_EQ(difference, unqueued_tolerance_ms);
}

TEST(ClockRule, TheProtocolTakesTheLowerQuartileOfTheReferencesOverheads) {
  EXPECT_DOUBLE_EQ(rule_with({0.4, 0.5, 0.6, 9, 9}).protocol_ms(queued), 0.5);
}

TEST(ClockRule, EachKindOfCallHasAProtocolOfItsOwn) {
  ClockRule rule = rule_with({0.5, 0.5, 0.5});
  for (int i = 0; i < 3; ++i) rule.saw_reference(reading(2, 0.75, unqueued));
  for (int i = 0; i < 3; ++i) rule.saw_reference(reading(2, 0.125, uncaptured));
  EXPECT_DOUBLE_EQ(rule.protocol_ms(queued), 0.5);
  EXPECT_DOUBLE_EQ(rule.protocol_ms(unqueued), 0.75);
  EXPECT_DOUBLE_EQ(rule.protocol_ms(uncaptured), 0.125);
}

TEST(ClockRule, WhereAKindHasTooFewThoseThatAreQueuedOtherwiseCount) {
  ClockRule rule = rule_with({0.5, 0.5, 0.5});
  rule.saw_reference(reading(2, 9, unqueued));
  for (int i = 0; i < 4; ++i) rule.saw_reference(reading(2, 0.125, uncaptured));
  EXPECT_DOUBLE_EQ(rule.protocol_ms(unqueued), 0.5);
}

TEST(ClockRule, ACandidateThatSlowsTheReferencesCallsIsNotBelieved) {
  const ClockRule rule = rule_with({4, 4, 4}, queued, {reading(2, 0.4), reading(2, 0.4)});
  EXPECT_DOUBLE_EQ(rule.protocol_ms(queued), most_protocol_growth * 0.4);
}

TEST(ClockRule, EachLaunchHasItsShareOfTheProtocol) {
  constexpr ClockKind three{3, true, true};
  const ClockRule rule = rule_with({1.1, 1.1, 1.1}, three, {reading(2, 0.4), reading(2, 0.4)});
  EXPECT_DOUBLE_EQ(rule.protocol_ms(three), 1.1);
}

}  // namespace
}  // namespace kgrade
