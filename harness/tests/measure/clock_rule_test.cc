#include "measure/clock_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade::clock_rule_test {

constexpr SampleKind queued{1, true, true};
constexpr SampleKind unqueued{1, false, true};
constexpr SampleKind uncaptured{1, true, false};

// Of a call whose launches take so long together.
Sample sample(double reported, double overhead, SampleKind kind = queued) {
  Sample sample(reported / kind.launches);
  sample.settled_ms = (reported + overhead) / kind.launches;
  sample.kind = kind;
  return sample;
}

Sample attested(const ClockRule& rule, Sample sample) {
  sample.attested_ms = rule.attested_ms(sample);
  return sample;
}

ClockRule rule_with(std::vector<double> overheads, SampleKind kind = queued, std::vector<Sample> alone = {}) {
  ClockRule rule(std::move(alone));
  for (const double overhead : overheads) rule.saw_reference(sample(2, overhead, kind));
  return rule;
}

TEST(ClockRule, ACallThatTheProtocolExplainsCountsAsReported) {
  const ClockRule rule = rule_with({0.5, 0.5, 0.5, 0.5});
  EXPECT_EQ(attested(rule, sample(1, 0.5)).counted_ms(), 1);
  EXPECT_FALSE(attested(rule, sample(1, 0.5)).is_raised());
}

TEST(ClockRule, AWorkerThatReportsTooLittleGainsTheToleranceAndNoMore) {
  const ClockRule rule = rule_with({0.5, 0.5, 0.5});
  const Sample lie = attested(rule, sample(0.001, 0.5 + 4));
  EXPECT_TRUE(lie.is_raised());
  EXPECT_NEAR(lie.counted_ms(), 4.001 - clock_tolerance_ms - clock_tolerance_share * 4.501, 1e-12);
}

TEST(ClockRule, ThatIsMoreForCallsThatWereNotQueued) {
  const double difference = clock_tolerance_of(sample(1, 0.5, unqueued)) - clock_tolerance_of(sample(1, 0.5));
  EXPECT_DOUBLE_EQ(difference, unqueued_tolerance_ms);
}

TEST(ClockRule, TheProtocolTakesTheLowerQuartileOfTheReferencesOverheads) {
  EXPECT_DOUBLE_EQ(rule_with({0.4, 0.5, 0.6, 9, 9}).protocol_ms(queued), 0.5);
}

TEST(ClockRule, EachKindOfCallHasAProtocolOfItsOwn) {
  ClockRule rule = rule_with({0.5, 0.5, 0.5});
  for (int i = 0; i < 3; ++i) rule.saw_reference(sample(2, 0.75, unqueued));
  for (int i = 0; i < 3; ++i) rule.saw_reference(sample(2, 0.125, uncaptured));
  EXPECT_DOUBLE_EQ(rule.protocol_ms(queued), 0.5);
  EXPECT_DOUBLE_EQ(rule.protocol_ms(unqueued), 0.75);
  EXPECT_DOUBLE_EQ(rule.protocol_ms(uncaptured), 0.125);
}

TEST(ClockRule, WhereAKindHasTooFewThoseThatAreQueuedOtherwiseCount) {
  ClockRule rule = rule_with({0.5, 0.5, 0.5});
  rule.saw_reference(sample(2, 9, unqueued));
  for (int i = 0; i < 4; ++i) rule.saw_reference(sample(2, 0.125, uncaptured));
  EXPECT_DOUBLE_EQ(rule.protocol_ms(unqueued), 0.5);
}

TEST(ClockRule, ACandidateThatSlowsTheReferencesCallsIsNotBelieved) {
  const ClockRule rule = rule_with({4, 4, 4}, queued, {sample(2, 0.4), sample(2, 0.4)});
  EXPECT_DOUBLE_EQ(rule.protocol_ms(queued), most_protocol_growth * 0.4);
}

TEST(ClockRule, EachLaunchHasItsShareOfTheProtocol) {
  constexpr SampleKind three{3, true, true};
  const ClockRule rule = rule_with({1.1, 1.1, 1.1}, three, {sample(2, 0.4), sample(2, 0.4)});
  EXPECT_DOUBLE_EQ(rule.protocol_ms(three), 1.1);
}

}  // namespace kgrade::clock_rule_test
