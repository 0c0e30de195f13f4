// Wrong answers, and what they are made from.
#include "soundness/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace kgrade::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAreArray;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Answers, TheMeanIsThatOfFiniteValues) {
  EXPECT_EQ(mean_of({1, 2, nan, 6}), 3);
  EXPECT_EQ(mean_of({nan}), 0);
  EXPECT_EQ(mean_of({}), 0);
}

TEST(Answers, ShufflingKeepsTheElementsAndMovesThem) {
  const Values values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(shuffled(values, 1), UnorderedElementsAreArray(values));
  EXPECT_NE(shuffled(values, 1), values);
  for (std::uint64_t seed = 0; seed < 8; ++seed) EXPECT_THAT(shuffled({1, 2}, seed), ElementsAre(2, 1));
}

TEST(Answers, MeansAlongEachAxis) {
  const Values values = {0, 2, 4, 6, 8, 10};
  EXPECT_THAT(axis_means(values, {2, 3}, 0), ElementsAre(3, 5, 7, 3, 5, 7));
  EXPECT_THAT(axis_means(values, {2, 3}, 1), ElementsAre(2, 2, 2, 8, 8, 8));
  EXPECT_THAT(axis_means(values, {1, 2, 3}, 0), ElementsAre(0, 2, 4, 6, 8, 10));
}

TEST(Answers, ASampleHasHalfOfTheElements) {
  Values values(1000);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto mean = static_cast<float>(mean_of(values));
  const Values sampled = half_replaced_by_mean(values, 3);
  EXPECT_EQ(std::count(sampled.begin(), sampled.end(), mean), 500);
  EXPECT_NE(half_replaced_by_mean(values, 4), sampled);
}

TEST(Answers, FlippingGoesFarAndStaysWithinTheDistribution) {
  const ResolvedInit uniform{ResolvedInit::Kind::uniform, -1, 1};
  EXPECT_EQ(flipped(0.25F, uniform), -1);
  EXPECT_GT(flipped(-0.25F, uniform), 0.99F);
  EXPECT_LT(flipped(-0.25F, uniform), 1);
  EXPECT_EQ(flipped(-0.5F, {ResolvedInit::Kind::normal, 1, 2}), 7);
  EXPECT_EQ(flipped(5, {ResolvedInit::Kind::integers, 0, 5}), 0);
  EXPECT_EQ(flipped(3, {ResolvedInit::Kind::integers, 0, 5}), 5);
  EXPECT_EQ(flipped(1, {ResolvedInit::Kind::constant, 1, 0}), 2);
}

TEST(Answers, ComparesAsTheRefereeDoes) {
  const Comparison comparison = compare({1, 2, nan, 4}, {1, 4, nan, nan});
  EXPECT_EQ(comparison.compared, 2U);
  EXPECT_EQ(comparison.sum_squared_difference, 4);
  EXPECT_EQ(comparison.sum_squared_expected, 17);
  EXPECT_EQ(comparison.worst_index, 1U);
  EXPECT_EQ(comparison.nonfinite_mismatches, 1U);
  EXPECT_EQ(comparison.first_nonfinite_mismatch, 3U);
}

TEST(Answers, LargeOutputsAreComparedInFull) {
  Values expected((std::size_t{1} << 22) + 5, 1.0F);
  Values actual = expected;
  for (const std::size_t i : {std::size_t{0}, expected.size() / 2, expected.size() - 1}) actual[i] = 3;
  const Comparison comparison = compare(actual, expected);
  EXPECT_EQ(comparison.compared, expected.size());
  EXPECT_EQ(comparison.sum_squared_difference, 12);
  EXPECT_EQ(comparison.worst_index, 0U);
}

}  // namespace
}  // namespace kgrade::testing
