#include <gmock/gmock.h>

#include <cmath>

#include "measure/clock_rule.h"
#include "measure/roofline.h"
#include "measure/speedup.h"

namespace kgrade::speed_checks_test {

// 4 GB/s and 1 TFLOP/s.
DeviceInfo device() {
  DeviceInfo info;
  info.peak_bytes_per_second = 4e9;
  info.peak_flops_per_second = 1e12;
  return info;
}

Tensor tensor(std::int64_t elements, bool output) {
  Tensor tensor;
  tensor.elements = elements;
  tensor.output = output;
  return tensor;
}

Case with_tensors(std::int64_t inputs, std::int64_t outputs) {
  Case bound;
  bound.tensors = {tensor(inputs, false), tensor(outputs, true)};
  return bound;
}

// Of a device whose ceilings have not been measured.
double lower_bound_ms(const Case& bound, const DeviceInfo& device) {
  return hardware_bound_ms(bound, std::nullopt, device);
}

TEST(LowerBound, InputsComeFromMemory) {
  EXPECT_DOUBLE_EQ(lower_bound_ms(with_tensors(1'000'000, 0), device()), 1);
  Case two = with_tensors(1'000'000, 0);
  two.tensors.push_back(tensor(500'000, false));
  EXPECT_DOUBLE_EQ(lower_bound_ms(two, device()), 1.5);
}

TEST(LowerBound, OutputsMayStayInTheCache) {
  DeviceInfo info = device();
  info.l2_bytes = 4'000'000;
  EXPECT_DOUBLE_EQ(lower_bound_ms(with_tensors(1'000'000, 1'000'000), info), 1);
  EXPECT_DOUBLE_EQ(lower_bound_ms(with_tensors(1'000'000, 3'000'000), info), 3);
  info.l2_bytes = 0;
  EXPECT_DOUBLE_EQ(lower_bound_ms(with_tensors(1'000'000, 1'000'000), info), 2);
}

// A gather reads a part of its inputs: the problem says how much.
TEST(LowerBound, TheProblemsOwnTrafficReplacesThatOfTheInputs) {
  DeviceInfo info = device();
  info.l2_bytes = 4'000'000;
  Case bound = with_tensors(1'000'000, 500'000);
  bound.bytes = 2'000'000 + 800'000;
  EXPECT_DOUBLE_EQ(lower_bound_ms(bound, info), 0.2);
  bound.bytes = 1'000'000;
  EXPECT_EQ(lower_bound_ms(bound, info), 0) << "less than the outputs alone";
}

TEST(LowerBound, AQuarterOfTheMultiplicationsIsTheLeast) {
  Case bound = with_tensors(0, 0);
  bound.flops = 4'000'000'000;
  EXPECT_DOUBLE_EQ(lower_bound_ms(bound, device()), 1);
}

TEST(LowerBound, TheSlowerOfMemoryAndArithmeticCounts) {
  Case bound = with_tensors(1'000'000, 0);
  bound.flops = 8'000'000'000;
  EXPECT_DOUBLE_EQ(lower_bound_ms(bound, device()), 2);
  bound.flops = 400'000'000;
  EXPECT_DOUBLE_EQ(lower_bound_ms(bound, device()), 1);
}

TEST(LowerBound, WhatIsNotKnownSetsNone) {
  Case bound = with_tensors(1'000'000, 0);
  bound.flops = 8'000'000'000;
  EXPECT_EQ(lower_bound_ms(bound, DeviceInfo{}), 0);
  DeviceInfo info = device();
  info.peak_flops_per_second = 0;
  EXPECT_DOUBLE_EQ(lower_bound_ms(bound, info), 1);
  info.peak_bytes_per_second = 0;
  EXPECT_EQ(lower_bound_ms(bound, info), 0);
}

TEST(BelowTheBound, ATenthIsForClocksAboveTheNominalOnes) {
  EXPECT_FALSE(below_the_bound({10}, 10));
  EXPECT_FALSE(below_the_bound({9}, 10));
  EXPECT_THAT(
      below_the_bound({8.75}, 10).value_or(""),
      testing::StartsWith("8.7500 ms is less than the device's memory and arithmetic need, 10.0000 ms"));
  EXPECT_FALSE(below_the_bound({0.0001}, 0)) << "no bound is known";
  EXPECT_FALSE(below_the_bound({}, 10));
}

// A candidate with a median that is slow enough can still have an impossible speed.
TEST(BelowTheBound, OneOfEightCallsMayBeNoise) {
  std::vector<double> times(17, 20);
  times[2] = times[11] = 0.001;
  EXPECT_FALSE(below_the_bound(times, 10));
  times[5] = 0.001;
  EXPECT_TRUE(below_the_bound(times, 10));
  EXPECT_TRUE(below_the_bound({0.001, 80}, 10)) << "of a few calls none";
}

TEST(SpeedTolerance, IsSharedByTheLaunchesOfASample) {
  EXPECT_EQ(speed_tolerance().factor, 2);
  EXPECT_EQ(speed_tolerance().floor_ms, 0.05);
  EXPECT_EQ(speed_tolerance(5).floor_ms, 0.01);
}

constexpr SpeedTolerance tolerance{2, 0.5};

TEST(FasterOnOldContents, EvenTheSlowestRepetitionHasToBeFarFaster) {
  EXPECT_FALSE(faster_on_old_contents({4, 5}, {2, 2}, tolerance)) << "exactly twice is not more than twice";
  EXPECT_FALSE(faster_on_old_contents({4, 5}, {0.1, 2}, tolerance));
  EXPECT_EQ(faster_on_old_contents({5, 4}, {0.5, 1.75}, tolerance),
            "calls take 4.000 ms at least on new inputs, 1.750 ms at most on inputs seen before");
  EXPECT_FALSE(faster_on_old_contents({1, 5}, {0.5, 1.75}, tolerance)) << "one new call was as fast";
}

TEST(FasterOnOldContents, ShortTimesAreNoise) {
  EXPECT_FALSE(faster_on_old_contents({0.75}, {0.25}, tolerance)) << "exactly the floor";
  EXPECT_TRUE(faster_on_old_contents({0.76}, {0.25}, tolerance));
}

TEST(FasterOnOldContents, SlowerIsNotSuspicious) {
  EXPECT_FALSE(faster_on_old_contents({1}, {100}, tolerance));
}

TEST(FasterOnOldContents, NothingIsSaidWithoutTimes) {
  EXPECT_FALSE(faster_on_old_contents({}, {1}, tolerance));
  EXPECT_FALSE(faster_on_old_contents({100}, {}, tolerance));
}

TEST(FasterWhenMeasured, TheMedianIsHeldAgainstTheFastestThatNobodyMeasures) {
  EXPECT_FALSE(faster_when_measured({4, 5}, {1, 2, 30}, tolerance));
  EXPECT_EQ(faster_when_measured({5, 4}, {1, 1.75, 30}, tolerance),
            "calls that are not measured take 4.000 ms at least, measured ones 1.750 ms (median)");
  EXPECT_FALSE(faster_when_measured({4, 2}, {1, 1.75, 30}, tolerance)) << "one of those was as fast";
  EXPECT_FALSE(faster_when_measured({0.75}, {0.25}, tolerance)) << "exactly the floor";
}

TEST(FasterWhenMeasured, NothingIsSaidWithoutTimes) {
  EXPECT_FALSE(faster_when_measured({}, {1}, tolerance));
  EXPECT_FALSE(faster_when_measured({100}, {}, tolerance));
}

// 15 % and 0.02 ms: beside 10 ms anything up to 11.52.
TEST(ReferenceDisturbed, ItMayDifferByAFewPercent) {
  EXPECT_FALSE(reference_disturbed({{10}, {10}, {10}}));
  EXPECT_FALSE(reference_disturbed({{10}, {11.5}, {10}}));
  EXPECT_TRUE(reference_disturbed({{10}, {11.53}, {10}}));
  EXPECT_FALSE(reference_disturbed({{0.01}, {0.03}, {0.01}})) << "short times are noise";
}

TEST(ReferenceDisturbed, ItMayBeFasterBesideTheCandidate) {
  EXPECT_FALSE(reference_disturbed({{34.1}, {28.3}, {34.2}}));
  EXPECT_FALSE(reference_disturbed({{32.6}, {15}, {30.9}}));
}

TEST(ReferenceDisturbed, TheFasterOfBeforeAndAfterCounts) {
  EXPECT_FALSE(reference_disturbed({{10}, {10}, {12}}));
  EXPECT_FALSE(reference_disturbed({{12}, {10}, {10}}));
  EXPECT_TRUE(reference_disturbed({{10}, {12}, {12}}));
  EXPECT_TRUE(reference_disturbed({{12}, {12}, {10}}));
}

// A candidate that makes it slow in only some calls changes a speed as well.
TEST(ReferenceDisturbed, TheUsualAloneAndAllButAnEighthBesideCount) {
  std::vector<double> beside(17, 10);
  beside[0] = 1;
  beside[3] = beside[8] = 30;
  EXPECT_FALSE(reference_disturbed({{30, 10}, beside, {10, 30}}));
  beside[5] = 30;
  EXPECT_EQ(
      reference_disturbed({{30, 10}, beside, {11, 30}}),
      "the reference takes 10.000 ms before the candidate has been loaded, up to 30.000 ms in seven of eight "
      "calls beside it, 11.000 ms after");
}

TEST(ReferenceDisturbed, NothingIsSaidWithoutTimes) {
  EXPECT_FALSE(reference_disturbed({{}, {10}, {100}}));
  EXPECT_FALSE(reference_disturbed({{10}, {}, {100}}));
  EXPECT_FALSE(reference_disturbed({{10}, {100}, {}}));
}

constexpr SampleKind queued{1, true, true};
constexpr SampleKind unqueued{1, false, true};
constexpr SampleKind uncaptured{1, true, false};

// A sample of a call whose launches take `reported` together.
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

SpeedRatio ratio_with(double ratio, double factor) {
  return {.ratio = ratio, .interval = Interval{ratio / factor, ratio * factor}, .count = 30};
}

TEST(SuiteScore, HalfWidthsAddInQuadrature) {
  const SuiteScore score = suite_score({ratio_with(2, std::exp(0.03)), ratio_with(8, std::exp(0.04))});
  EXPECT_DOUBLE_EQ(score.geometric_mean, 4);
  EXPECT_EQ(score.count, 2u);
  ASSERT_TRUE(score.interval);
  EXPECT_NEAR(score.interval->low, 4 * std::exp(-0.025), 1e-14);
  EXPECT_NEAR(score.interval->high, 4 * std::exp(0.025), 1e-14);
}

TEST(SuiteScore, OfOneProblemIsItsRatio) {
  const SuiteScore score = suite_score({ratio_with(1.5, 1.01)});
  EXPECT_DOUBLE_EQ(score.geometric_mean, 1.5);
  EXPECT_NEAR(score.interval->low, 1.5 / 1.01, 1e-14);
  EXPECT_NEAR(score.interval->high, 1.5 * 1.01, 1e-14);
}

TEST(SuiteScore, ExchangingTheSidesInvertsIt) {
  const SuiteScore there = suite_score({ratio_with(2, 1.02), ratio_with(0.7, 1.1), ratio_with(3, 1.005)});
  const SuiteScore back =
      suite_score({ratio_with(1 / 2.0, 1.02), ratio_with(1 / 0.7, 1.1), ratio_with(1 / 3.0, 1.005)});
  EXPECT_NEAR(there.geometric_mean * back.geometric_mean, 1, 1e-14);
  EXPECT_NEAR(there.interval->low * back.interval->high, 1, 1e-14);
}

TEST(SuiteScore, OneRatioWithoutAnIntervalLeavesNone) {
  const SuiteScore score = suite_score({ratio_with(2, 1.01), SpeedRatio{.ratio = 8, .count = 3}});
  EXPECT_DOUBLE_EQ(score.geometric_mean, 4);
  EXPECT_FALSE(score.interval);
}

TEST(SuiteScore, OfNothing) {
  const SuiteScore score = suite_score({});
  EXPECT_EQ(score.geometric_mean, 0);
  EXPECT_EQ(score.count, 0u);
  EXPECT_FALSE(score.interval);
}

TEST(FastP, CountsCorrectAnswersAboveP) {
  const std::vector<std::optional<double>> speedups = {0.5, 1.0, 1.5, 2.5, std::nullopt};
  EXPECT_DOUBLE_EQ(fast_p(speedups, 0), 0.8);
  EXPECT_DOUBLE_EQ(fast_p(speedups, 1), 0.4);  // above, not at
  EXPECT_DOUBLE_EQ(fast_p(speedups, 2), 0.2);
  EXPECT_DOUBLE_EQ(fast_p(speedups, 3), 0);
  EXPECT_DOUBLE_EQ(fast_p({}, 1), 0);
  EXPECT_DOUBLE_EQ(fast_p({std::nullopt}, 0), 0);
}

// As if the first stood there three times.
TEST(SuiteScore, WeightsCountLikeRepetitions) {
  SpeedRatio heavy = ratio_with(2, std::exp(0.03));
  heavy.weight = 3;
  const SuiteScore score = suite_score({heavy, ratio_with(32, std::exp(0.04))});
  EXPECT_NEAR(score.geometric_mean, 4, 1e-12);
  // (3 * 0.03)^2 + 0.04^2 under the root, over 4.
  EXPECT_NEAR(std::log(score.interval->high / 4), std::sqrt(0.09 * 0.09 + 0.04 * 0.04) / 4, 1e-12);
}

TEST(SuiteScore, CasesCountByTheirWeights) {
  CaseRecord light;
  light.speedups = {{"reference", ratio_with(0.5, 1.01)}};
  CaseRecord heavy = light;
  heavy.weight = 3;
  heavy.speedups.front().ratio.ratio = 8;
  const std::vector<Score> scores = scores_of({light, heavy});
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_NEAR(scores.front().speedup.geometric_mean, 4, 1e-12);
  EXPECT_EQ(scores.front().fast.at(1), 0.75);
}

CandidateRecord compared(Precision precision, bool with_baseline) {
  CandidateRecord candidate;
  candidate.precision = precision;
  candidate.scores.push_back({"reference", {3, std::nullopt, 1}});
  if (with_baseline) candidate.scores.push_back({"baseline", {0.7, std::nullopt, 1}});
  candidate.by_baseline.push_back({"cudnn-fp32", {2, std::nullopt, 1}});
  return candidate;
}

TEST(SpeedupsOfAClass, AReferenceOfABetterClassDoesNotCount) {
  CandidateRecord candidate = compared(Precision::tf32, false);
  keep_to_class(candidate, Precision::fp32);
  EXPECT_EQ(candidate.headline(), nullptr);
  ASSERT_EQ(candidate.by_baseline.size(), 2U);
  EXPECT_EQ(candidate.by_baseline.back().against, "reference");
  EXPECT_EQ(candidate.by_baseline.back().speedup.geometric_mean, 3);
  ASSERT_EQ(candidate.notes.size(), 1U);
  EXPECT_NE(candidate.notes.front().find("the answers are of class tf32, the reference is of class fp32"),
            std::string::npos);
}

TEST(SpeedupsOfAClass, TheBaselineOfTheClassCounts) {
  CandidateRecord candidate = compared(Precision::tf32, true);
  keep_to_class(candidate, Precision::fp32);
  ASSERT_EQ(candidate.scores.size(), 1U);
  EXPECT_EQ(candidate.headline()->against, "baseline");
  EXPECT_TRUE(candidate.notes.empty());
}

TEST(SpeedupsOfAClass, AnswersAsPreciseAsTheReferenceOrMoreAreComparedWithIt) {
  for (const auto& [own, reference] :
       {std::pair{Precision::fp32, Precision::fp32}, std::pair{Precision::fp32, Precision::tf32},
        std::pair{Precision::tf32, Precision::tf32}, std::pair{Precision::exact, Precision::exact}}) {
    CandidateRecord candidate = compared(own, false);
    keep_to_class(candidate, reference);
    ASSERT_NE(candidate.headline(), nullptr);
    EXPECT_EQ(candidate.headline()->against, "reference");
    EXPECT_TRUE(candidate.notes.empty());
  }
}

}  // namespace kgrade::speed_checks_test
