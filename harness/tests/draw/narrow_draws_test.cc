// Values of 16-bit types: the float32 ones rounded, within the range of their distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "draw/distribution.h"

namespace kgrade::narrow_draws_test {

using Kind = Distribution::Kind;

constexpr RandomStream narrow_stream{42, 0, 0};
constexpr std::uint64_t draws = 200'000;

class NarrowDraws : public testing::TestWithParam<Dtype> {
 protected:
  static Distribution of(Kind kind, double first, double second) { return {kind, first, second, GetParam()}; }

  static std::vector<float> draw(const Distribution& distribution, std::uint64_t count = draws) {
    std::vector<float> values;
    for (std::uint64_t i = 0; i < count; ++i)
      values.push_back(element(distribution, random_block(narrow_stream, i / 4), i));
    return values;
  }

  static void expect_drawable(const std::vector<float>& values) {
    for (const float value : values) {
      ASSERT_EQ(rounded_to(GetParam(), value), value);
      ASSERT_TRUE(value == 0 || std::fabs(value) >= smallest_normal(GetParam())) << value;
      ASSERT_LE(std::fabs(value), largest_finite(GetParam()));
    }
  }
};

const std::vector<std::pair<double, double>> ranges = {
    {0, 1},     {-2, 3},  {0.1, 0.2},    {-0.0577350269, 0.0577350269},
    {-1, -0.3}, {1, 1.1}, {-1e-4, 1e-4}, {99, 101}};

TEST_P(NarrowDraws, UniformValuesAreOfTheTypeAndInTheirRange) {
  for (const auto& [low, high] : ranges) {
    const auto values = draw(of(Kind::uniform, low, high));
    expect_drawable(values);
    for (const float value : values) {
      ASSERT_GE(double{value}, low);
      ASSERT_LT(double{value}, high);
    }
  }
}

TEST_P(NarrowDraws, ValuesAreThoseOfFloat32Rounded) {
  const Distribution narrow = of(Kind::normal, 0.5, 2);
  const Distribution wide{Kind::normal, 0.5, 2};
  const auto rounded = draw(narrow);
  const auto exact = draw(wide);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::fabs(exact[i]) < smallest_normal(GetParam())) continue;
    ASSERT_EQ(rounded[i], rounded_to(GetParam(), exact[i]));
  }
}

// Rounding is unbiased: five standard errors, plus the shift from a range that does not begin at a number of
// the type.
TEST_P(NarrowDraws, MomentsAreThoseOfTheDistribution) {
  double sum = 0;
  double squares = 0;
  for (const float value : draw(of(Kind::uniform, 0, 1))) {
    sum += double{value};
    squares += double{value} * double{value};
  }
  const double mean = sum / draws;
  EXPECT_NEAR(mean, 0.5, 5 / std::sqrt(12.0 * draws));
  EXPECT_NEAR(squares / draws - mean * mean, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / draws) + 1e-5);
}

TEST_P(NarrowDraws, LargeValuesAreFinite) {
  const double most = double{largest_finite(GetParam())};
  const auto values = draw(of(Kind::normal, 0, most / 2));
  expect_drawable(values);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), largest_finite(GetParam()));
}

TEST_P(NarrowDraws, IntegersReachBothEndsAndNoFurther) {
  const auto values = draw(of(Kind::integers, -5, 17));
  EXPECT_EQ(std::set<float>(values.begin(), values.end()).size(), 23u);
  for (const float value : draw(of(Kind::integers, 1000, 2051))) {
    ASSERT_GE(value, 1000);
    ASSERT_LE(value, 2051);
  }
}

TEST_P(NarrowDraws, ChangedElementsAreOtherValuesOfTheType) {
  for (const Distribution& distribution : {of(Kind::uniform, 0, 1), of(Kind::integers, -2, 3)}) {
    for (std::uint32_t number = 0; number < 200; ++number) {
      const InputChanges changes = draw_changes(distribution, narrow_stream, 1000, {7, 5, number});
      for (unsigned int k = 0; k < changes.count; ++k) {
        const std::uint64_t at = changes.position[k];
        ASSERT_NE(changes.value[k], element(distribution, random_block(narrow_stream, at / 4), at));
        ASSERT_EQ(changes.value[k], rounded_to(GetParam(), changes.value[k]));
      }
    }
  }
}

TEST(PowersOfTwo, AreTheNearestInTheirRange) {
  std::set<float> drawn;
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{0.5, 4}, {3, 9}}) {
    const Distribution distribution{Kind::uniform, low, high, Dtype::float8_e8m0fnu};
    for (std::uint64_t i = 0; i < 1000; ++i)
      drawn.insert(element(distribution, random_block(narrow_stream, i / 4), i));
    EXPECT_EQ(drawn, low == 3 ? (std::set<float>{4, 8}) : (std::set<float>{0.5F, 1, 2}));
    drawn.clear();
  }
}

INSTANTIATE_TEST_SUITE_P(EachType, NarrowDraws, testing::Values(Dtype::float16, Dtype::bfloat16),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace kgrade::narrow_draws_test
