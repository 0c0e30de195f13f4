#include "selftest/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace kgrade::selftest {
namespace {

TEST(SelftestPlan, SpreadsComparisonsEvenly) {
  const auto plan = plan_comparisons(10, 205, 60, 7);
  std::map<std::size_t, int> same;
  std::map<std::pair<std::size_t, double>, int> slowed;
  for (const PlannedComparison& planned : plan) {
    if (planned.added == 0) {
      same[planned.kernel] += 1;
    } else {
      slowed[{planned.kernel, planned.added}] += 1;
    }
  }
  EXPECT_EQ(plan.size(), 265u);
  for (std::size_t kernel = 0; kernel < 10; ++kernel) {
    EXPECT_EQ(same[kernel], kernel < 5 ? 21 : 20);
    for (const double added : slow_downs) EXPECT_EQ((slowed[{kernel, added}]), 2);
  }
}

TEST(SelftestPlan, FewSlowDownsHaveAllSizesAmongThem) {
  std::set<double> added;
  for (const PlannedComparison& planned : plan_comparisons(3, 0, 3, 1)) added.insert(planned.added);
  EXPECT_EQ(added, (std::set<double>{0.01, 0.02, 0.05}));
}

TEST(SelftestPlan, TheSeedDrawsTheOrder) {
  const auto plan = plan_comparisons(10, 40, 40, 7);
  EXPECT_EQ(plan, plan_comparisons(10, 40, 40, 7));
  auto other = plan_comparisons(10, 40, 40, 8);
  EXPECT_NE(plan, other);
  EXPECT_TRUE(std::is_permutation(plan.begin(), plan.end(), other.begin(), other.end()));
  EXPECT_TRUE(plan_comparisons(0, 40, 40, 7).empty());
}

TEST(SelftestPlan, EveryComparisonHasASeedOfItsOwn) {
  std::set<std::uint64_t> seeds;
  for (std::size_t number = 0; number < 1000; ++number) seeds.insert(seed_of_comparison(7, number));
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_EQ(seed_of_comparison(7, 3), seed_of_comparison(7, 3));
  EXPECT_NE(seed_of_comparison(7, 3), seed_of_comparison(8, 3));
}

TEST(SelftestPlan, TheForecastLearnsFromWhatWasDone) {
  Forecast forecast({1, 5});
  const std::vector<PlannedComparison> rest = {{0, 0}, {0, 0.01}, {1, 0}};
  EXPECT_DOUBLE_EQ(forecast.seconds_for(rest), 7);
  forecast.took(0, 2);
  forecast.took(0, 4);
  EXPECT_DOUBLE_EQ(forecast.seconds_for(rest), 11);
  EXPECT_DOUBLE_EQ(forecast.seconds_for({}), 0);
}

}  // namespace
}  // namespace kgrade::selftest
