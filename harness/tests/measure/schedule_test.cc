#include "measure/schedule.h"

#include <gtest/gtest.h>

namespace kgrade {
namespace {

TEST(Schedule, TakesTheMinimumWhateverItCosts) {
  const RoundPlan plan{5, 50, 2.0};
  EXPECT_TRUE(plan.wants_more(4, 1000));
  EXPECT_FALSE(plan.wants_more(5, 1000));
}

TEST(Schedule, StopsAtTheBudgetOrTheMaximum) {
  const RoundPlan plan{5, 50, 2.0};
  EXPECT_TRUE(plan.wants_more(5, 1.9));
  EXPECT_FALSE(plan.wants_more(5, 2.0));
  EXPECT_TRUE(plan.wants_more(49, 0));
  EXPECT_FALSE(plan.wants_more(50, 0));
}

TEST(Schedule, QuickTakesFewerSamples) {
  const RoundPlan normal = plan_for(true, Effort::normal);
  const RoundPlan quick = plan_for(true, Effort::quick);
  EXPECT_LT(quick.maximum, normal.maximum);
  EXPECT_LT(quick.budget_seconds, normal.budget_seconds);
}

TEST(Schedule, EachPairOfRoundsHasBothOrders) {
  for (int pair = 0; pair < 100; ++pair) {
    EXPECT_NE(candidate_first(5, 2 * pair), candidate_first(5, 2 * pair + 1)) << pair;
  }
}

TEST(Schedule, TheCoinIsFairAndSeeded) {
  int first = 0;
  int differ = 0;
  for (int pair = 0; pair < 1000; ++pair) {
    first += candidate_first(5, 2 * pair) ? 1 : 0;
    differ += candidate_first(5, 2 * pair) != candidate_first(6, 2 * pair) ? 1 : 0;
  }
  // Five standard deviations of a fair coin.
  EXPECT_NEAR(first, 500, 79);
  EXPECT_NEAR(differ, 500, 79);
}

}  // namespace
}  // namespace kgrade
