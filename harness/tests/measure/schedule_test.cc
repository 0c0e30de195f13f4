#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "measure/block_run.h"

namespace kgrade::schedule_test {

using testing::UnorderedElementsAre;

TEST(Schedule, TheSecondRoundOfABlockIsTheFirstReversed) {
  for (std::uint32_t block = 0; block < 50; ++block) {
    const auto first = arm_order(5, block, 0, 3);
    const auto second = arm_order(5, block, 1, 3);
    EXPECT_THAT(first, UnorderedElementsAre(0, 1, 2));
    EXPECT_EQ(std::vector(first.rbegin(), first.rend()), second);
  }
}

// Within four standard deviations of what fair coins give.
TEST(Schedule, EveryOrderComesAsOftenAsAnyOther) {
  constexpr std::uint32_t blocks = 6000;
  std::map<std::vector<std::size_t>, int> seen;
  for (std::uint32_t block = 0; block < blocks; ++block) ++seen[arm_order(5, block, 0, 3)];
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, blocks / 6.0, 4 * 29);
}

TEST(Schedule, TheOrderIsTheSeeds) {
  int differ = 0;
  for (std::uint32_t block = 0; block < 100; ++block) {
    EXPECT_EQ(arm_order(5, block, 0, 2), arm_order(5, block, 0, 2));
    differ += arm_order(5, block, 0, 2) != arm_order(6, block, 0, 2) ? 1 : 0;
  }
  EXPECT_GT(differ, 25);
}

TEST(Schedule, EffortBuysPrecision) {
  const MeasuringGoal quick = goal_for(Effort::quick);
  const MeasuringGoal normal = goal_for(Effort::normal);
  const MeasuringGoal ranked = goal_for(Effort::ranked);
  EXPECT_EQ(quick.half_width, 0.01);
  EXPECT_EQ(normal.half_width, 0.005);
  EXPECT_EQ(ranked.half_width, 0.0025);
  EXPECT_LT(quick.budget_seconds, normal.budget_seconds);
  EXPECT_EQ(normal.processes, 1);
  EXPECT_EQ(ranked.processes, 5);
  EXPECT_EQ(quick.most_processes, 1);
  EXPECT_EQ(normal.most_processes, 4);
}

TEST(Schedule, ASampleHasAsManyLaunchesAsTheClockNeeds) {
  EXPECT_EQ(launches_per_sample(0.011, 8), 1);
  EXPECT_EQ(launches_per_sample(0.010, 8), 1);
  EXPECT_EQ(launches_per_sample(0.006, 8), 2);
  EXPECT_EQ(launches_per_sample(0.003, 8), 4);
  EXPECT_EQ(launches_per_sample(0.001, 8), 8);
  EXPECT_EQ(launches_per_sample(0.003, 2), 2);
  EXPECT_EQ(launches_per_sample(0, 8), 1) << "a time that is none";
}

}  // namespace kgrade::schedule_test
