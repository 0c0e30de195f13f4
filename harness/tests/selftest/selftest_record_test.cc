#include "selftest/selftest_record.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sample_selftest.h"

namespace kgrade::selftest {
namespace selftest_record_test {

using test::blank_selftest;
using test::comparison_of;
using test::usual;

Share share_of(std::uint64_t count, std::uint64_t trials) { return {count, trials}; }

TEST(Criteria, HoldFailOrHaveTooFewTrials) {
  const auto false_calls = [](std::uint64_t count, std::uint64_t trials) {
    return outcome_of(share_of(count, trials), 0, most_false_calls);
  };
  EXPECT_EQ(false_calls(0, 200), CriterionOutcome::holds);
  EXPECT_EQ(false_calls(2, 200), CriterionOutcome::holds);
  EXPECT_EQ(false_calls(3, 200), CriterionOutcome::too_few) << "1.5 %, and 0.3 to 4.3 % with confidence";
  EXPECT_EQ(false_calls(5, 200), CriterionOutcome::too_few) << "the interval begins at 0.8 %";
  EXPECT_EQ(false_calls(6, 200), CriterionOutcome::fails) << "at 1.1 %";
  EXPECT_EQ(false_calls(0, 9), CriterionOutcome::too_few);
  EXPECT_EQ(false_calls(0, 0), CriterionOutcome::too_few);
}

TEST(Criteria, AShareMayBeTooLowAsWell) {
  const auto excludes = [](std::uint64_t count, std::uint64_t trials) {
    return outcome_of(share_of(count, trials), least_excluded, most_excluded);
  };
  EXPECT_EQ(excludes(10, 200), CriterionOutcome::holds);
  EXPECT_EQ(excludes(0, 40), CriterionOutcome::too_few);
  EXPECT_EQ(excludes(0, 200), CriterionOutcome::fails) << "intervals that are too wide";
  EXPECT_EQ(excludes(17, 200), CriterionOutcome::too_few);
  EXPECT_EQ(excludes(30, 200), CriterionOutcome::fails);
  EXPECT_EQ(outcome_of(share_of(45, 50), least_seen, 1), CriterionOutcome::holds);
  EXPECT_EQ(outcome_of(share_of(44, 50), least_seen, 1), CriterionOutcome::too_few);
  EXPECT_EQ(outcome_of(share_of(35, 50), least_seen, 1), CriterionOutcome::fails);
}

TEST(Grain, IsTheSmallestDifferenceThatIsOne) {
  EXPECT_NEAR(*grain_of({0.0027, 0.002732, 0.0027, 0.002796}), 0.000032, 1e-12);
  EXPECT_NEAR(*grain_of({0.0027, 0.0027 + 1e-9, 0.0028}), 0.0001, 1e-8) << "rounding is no difference";
  EXPECT_FALSE(grain_of({0.0027, 0.0027}));
  EXPECT_FALSE(grain_of({5, 6}));
  EXPECT_FALSE(grain_of({}));
}

TEST(Conclusion, CountsByKernelAndInAll) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {usual(0), usual(0), usual(1), comparison_of(1, 0, 1.001, 1.003, 1.005),
                        comparison_of(1, 0, 0.96, 0.97, 0.98)};
  conclude(record);
  const SelftestKernel& first = record.kernels[0];
  EXPECT_EQ(first.same.comparisons, 2u);
  EXPECT_EQ(first.same.called.count, 0u);
  EXPECT_NEAR(first.same.median_error, std::log(1.001), 1e-12);
  EXPECT_NEAR(first.same.median_half_width, std::sqrt(1.004 / 0.998) - 1, 1e-12);
  EXPECT_DOUBLE_EQ(first.same.median_blocks, 10);
  EXPECT_DOUBLE_EQ(first.same.median_seconds, 0.25);
  const SelftestKernel& second = record.kernels[1];
  EXPECT_EQ(second.same.called.count, 1u);
  EXPECT_EQ(second.same.excludes_one.count, 2u);
  EXPECT_EQ(record.same.called.trials, 5u);
  EXPECT_EQ(record.same.excludes_one.count, 2u);
  EXPECT_NEAR(second.same.large_error, 0.9 * -std::log(0.97) + 0.1 * std::log(1.003), 1e-12);
}

// A slow-down that is always refused, or too slow for an interval, was never tested.
TEST(Conclusion, OnlyIntervalsCanBeCalledOrExcludeOne) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {usual(0), usual(0)};
  record.comparisons[1].ratio->interval.reset();
  conclude(record);
  EXPECT_EQ(record.same.called.trials, 1u);
  EXPECT_EQ(record.same.excludes_one.trials, 1u);
}

TEST(Conclusion, SaysHowLongKernelsReallyTake) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {usual(1)};
  conclude(record);
  EXPECT_DOUBLE_EQ(record.kernels[0].median_ms, 0.005) << "from the calibration: nothing was compared";
  EXPECT_DOUBLE_EQ(record.kernels[1].median_ms, 0.02);
  EXPECT_TRUE(record.kernels[0].overhead_limited) << "less than five times 2.7 us";
  EXPECT_FALSE(record.kernels[1].overhead_limited);
}

TEST(Conclusion, SlowDownsHaveAShareABiasAndACoverage) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {
      comparison_of(1, 0.02, 0.978, 1 / 1.021, 0.983), comparison_of(1, 0.02, 0.977, 1 / 1.023, 0.9795),
      comparison_of(1, 0.02, 0.985, 1 / 1.01, 0.995), comparison_of(0, 0.05, 0.9, 0.95, 0.97)};
  conclude(record);
  ASSERT_EQ(record.kernels[1].slowed.size(), 1u);
  const SlowedDown& slowed = record.kernels[1].slowed[0];
  EXPECT_DOUBLE_EQ(slowed.asked, 0.02);
  EXPECT_DOUBLE_EQ(slowed.median_added, 0.02);
  EXPECT_EQ(slowed.seen.count, 2u);
  EXPECT_EQ(slowed.seen.trials, 3u);
  EXPECT_EQ(slowed.covered.count, 1u) << "1 / 1.02 lies in the first interval only";
  EXPECT_NEAR(slowed.median_bias, 0.001, 1e-12);
  EXPECT_EQ(record.slowed.size(), 2u);
  EXPECT_EQ(record.criteria[2].share.trials, 3u) << "the kernel of 5 us does not count, nor do 5 %";
}

TEST(Conclusion, OneSlowDownIsNotSeenWhereTheShareSpeaksForItself) {
  SelftestRecord record = blank_selftest();
  for (int i = 0; i < 20; ++i) record.comparisons.push_back(usual(0));
  for (int i = 0; i < 20; ++i) record.comparisons.push_back(comparison_of(1, 0.02, 0.978, 0.98, 0.983));
  conclude(record);
  EXPECT_EQ(record.criteria[0].outcome, CriterionOutcome::holds);
  EXPECT_EQ(record.criteria[1].outcome, CriterionOutcome::too_few) << "none of 20 excludes 1";
  EXPECT_EQ(record.criteria[2].outcome, CriterionOutcome::holds);
  EXPECT_FALSE(any_fails(record));
  EXPECT_FALSE(all_hold(record));
  record.comparisons[0] = comparison_of(0, 0, 1.001, 1.003, 1.005);
  conclude(record);
  EXPECT_TRUE(all_hold(record));
}

TEST(Conclusion, AProtocolThatRefusesMostComparisonsDoesNotHold) {
  SelftestRecord record = blank_selftest();
  record.comparisons.assign(40, usual(0));
  for (std::size_t i = 0; i < 20; ++i) record.comparisons[i].ratio.reset();
  conclude(record);
  EXPECT_EQ(record.criteria[3].name, "measured");
  EXPECT_EQ(record.criteria[3].outcome, CriterionOutcome::fails);
  EXPECT_TRUE(any_fails(record));
}

TEST(Conclusion, WhatGaveNoRatioIsCountedApart) {
  SelftestRecord record = blank_selftest();
  record.comparisons = {usual(0), usual(0), usual(0)};
  record.comparisons[1].ratio.reset();
  record.comparisons[1].end = BlockEnd::disturbed;
  record.comparisons[2].ratio.reset();
  conclude(record);
  EXPECT_EQ(record.disturbed, 1u);
  EXPECT_EQ(record.refused, 1u);
  EXPECT_EQ(record.same.called.trials, 1u);
}

}  // namespace selftest_record_test
}  // namespace kgrade::selftest
