#include "base/statistics.h"

#include <gtest/gtest.h>

#include <limits>

namespace kgrade::statistics_test {

TEST(Statistics, QuantilesInterpolateBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.5), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
}

TEST(Statistics, SummaryOfKnownSample) {
  const Summary summary = summarise({10, 30, 20, 50, 40});
  EXPECT_EQ(summary.count, 5u);
  EXPECT_DOUBLE_EQ(summary.median, 30);
  EXPECT_DOUBLE_EQ(summary.first_quartile, 20);
  EXPECT_DOUBLE_EQ(summary.third_quartile, 40);
  EXPECT_DOUBLE_EQ(summary.minimum, 10);
}

TEST(Statistics, OneOutlierDoesNotMoveTheMedian) { EXPECT_DOUBLE_EQ(summarise({1, 1, 1, 1, 1e9}).median, 1); }

TEST(Statistics, GeometricMeanOfRatios) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(geometric_mean({0.5, 2}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean({}), 0);
}

}  // namespace kgrade::statistics_test
