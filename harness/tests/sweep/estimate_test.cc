#include "sweep/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgrade {
namespace {

using testing::DoubleEq;
using testing::Optional;

TEST(TimeLeft, IsUnknownBeforeTheSecondResult) {
  TimeLeft left(100);
  EXPECT_FALSE(left.seconds(10, 101));
  left.result_at(102);
  EXPECT_FALSE(left.seconds(9, 103));
  left.result_at(104);
  EXPECT_THAT(left.seconds(8, 104), Optional(DoubleEq(16)));
}

TEST(TimeLeft, GoesDownWhileTheNextResultIsAwaitedButNotBelowZero) {
  TimeLeft left(0);
  left.result_at(2);
  left.result_at(4);
  EXPECT_THAT(left.seconds(3, 5), Optional(DoubleEq(5)));
  EXPECT_THAT(left.seconds(3, 100), Optional(DoubleEq(0)));
  EXPECT_THAT(left.seconds(0, 4), Optional(DoubleEq(0)));
}

TEST(TimeLeft, FollowsTheRateOfTheLastResults) {
  TimeLeft left(0);
  double now = 0;
  for (int i = 0; i < 10; ++i) left.result_at(now += 100);
  for (std::size_t i = 0; i < TimeLeft::window; ++i) left.result_at(now += 1);
  EXPECT_THAT(left.seconds(60, now), Optional(DoubleEq(60)));
}

TEST(TimeLeft, IsSaidRoughly) {
  EXPECT_EQ(describe_time_left(0), "less than a minute left");
  EXPECT_EQ(describe_time_left(59.9), "less than a minute left");
  EXPECT_EQ(describe_time_left(180), "about 3 min left");
  EXPECT_EQ(describe_time_left(9000), "about 2.5 h left");
  EXPECT_EQ(describe_time_left(200000), "about 2 days left");
}

TEST(Seldom, IsOnceAMinute) {
  Seldom log(1000);
  int lines = 0;
  for (double now = 1000; now <= 1600; now += 0.5) lines += log.is_due(now) ? 1 : 0;
  EXPECT_EQ(lines, 10);
  EXPECT_FALSE(log.is_due(1659));
  EXPECT_TRUE(log.is_due(1700));
  EXPECT_FALSE(log.is_due(1720)) << "from when it was said, not from when it was due";
}

}  // namespace
}  // namespace kgrade
