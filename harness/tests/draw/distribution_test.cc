#include "draw/distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace kgrade::distribution_test {

using Kind = Distribution::Kind;

std::vector<float> draw(const Distribution& distribution, std::uint64_t count) {
  const RandomStream stream{42, 0, 0};
  std::vector<float> values;
  for (std::uint64_t i = 0; i < count; ++i)
    values.push_back(element(distribution, random_block(stream, i / 4), i));
  return values;
}

double mean(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double variance(const std::vector<float>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const float value : values) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(values.size());
}

TEST(Distribution, CodesAreThoseOfTheNumbersThatAreDrawn) {
  const Distribution numbers{Kind::normal, 0, 200};
  Distribution codes = numbers;
  codes.dtype = Dtype::uint8;
  codes.is_encoded = true;
  const auto wanted = draw(numbers, 10000);
  const auto drawn = draw(codes, 10000);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const float number = decode(SmallFloat::e4m3, static_cast<std::uint32_t>(drawn[i]));
    ASSERT_LE(std::fabs(number), 448.0f) << "and no NaN";
    ASSERT_NEAR(number, std::fmax(-448.0f, std::fmin(448.0f, wanted[i])), 16.0f);
  }
}

TEST(Distribution, UniformStaysInsideAndHasItsMoments) {
  const auto values = draw({Kind::uniform, -2, 3}, 100000);
  for (const float value : values) {
    ASSERT_GE(value, -2.0f);
    ASSERT_LT(value, 3.0f);
  }
  // Five standard errors of mean and variance.
  EXPECT_NEAR(mean(values), 0.5, 5 * std::sqrt(25.0 / 12 / 100000));
  EXPECT_NEAR(variance(values), 25.0 / 12, 5 * std::sqrt(625.0 / 180 / 100000));
}

TEST(Distribution, UniformEndsAreTheExtremeWords) {
  EXPECT_EQ(sample({Kind::uniform, 1, 2}, 0), 1.0f);
  EXPECT_EQ(sample({Kind::uniform, 0, 1}, 0xffffffff), 1.0f - 1.0f / 16777216);
  // Close to 2 the spacing of floats is 2^-23, and 2 itself is excluded.
  EXPECT_LT(sample({Kind::uniform, 1, 2}, 0xffffffff), 2.0f);
}

TEST(Distribution, NormalQuantileAgreesWithTables) {
  EXPECT_NEAR(portable_normal_quantile(0.5), 0, 1e-7);
  EXPECT_NEAR(portable_normal_quantile(0.975), 1.959963984540054, 2e-7);
  EXPECT_NEAR(portable_normal_quantile(0.999), 3.090232306167813, 4e-7);
  EXPECT_NEAR(portable_normal_quantile(1e-6), -4.753424308822899, 1e-6);
  EXPECT_EQ(portable_normal_quantile(0.25), -portable_normal_quantile(0.75));
}

TEST(Distribution, PortableLogAgreesWithTheLibrary) {
  for (double x = 1e-8; x < 1; x *= 1.37) EXPECT_NEAR(detail::portable_log(x) / std::log(x), 1, 1e-14) << x;
}

TEST(Distribution, NormalHasItsMoments) {
  const auto values = draw({Kind::normal, 1, 2}, 100000);
  EXPECT_NEAR(mean(values), 1, 5 * 2 / std::sqrt(100000.0));
  EXPECT_NEAR(variance(values), 4, 5 * std::sqrt(2.0 * 16 / 100000));
}

TEST(Distribution, IntegersIncludeBothEndsEvenly) {
  std::map<float, int> counts;
  for (const float value : draw({Kind::integers, -2, 3}, 60000)) counts[value]++;
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [value, count] : counts)
    EXPECT_NEAR(count, 10000, 5 * std::sqrt(60000.0 / 6 * 5 / 6)) << value;
  EXPECT_EQ(counts.begin()->first, -2);
  EXPECT_EQ(counts.rbegin()->first, 3);
}

Distribution wide(std::int64_t low, std::int64_t high) {
  Distribution distribution{Kind::wide_integers, 0, 0, Dtype::int64};
  distribution.low = low;
  distribution.high = high;
  return distribution;
}

TEST(Distribution, WideIntegersAreEvenAndReachBothEnds) {
  constexpr std::int64_t low = -5'000'000'000, high = 7'000'000'000;
  constexpr int bins = 6;
  int counts[bins] = {};
  std::set<std::int64_t> last_digits;
  for (std::uint64_t i = 0; i < 60000; ++i) {
    const std::int64_t value = wide_element(wide(low, high), {42, 0, 0}, i);
    ASSERT_TRUE(value >= low && value <= high) << value;
    counts[(value - low) / ((high - low) / bins + 1)]++;
    last_digits.insert((value - low) % 1024);
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * std::sqrt(60000.0 / 6 * 5 / 6));
  EXPECT_EQ(last_digits.size(), 1024u);
}

TEST(Distribution, TheWidestIntegersAreAllBits) {
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     most = std::numeric_limits<std::int64_t>::max();
  std::int64_t seen_set = 0, seen_clear = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::int64_t value = wide_element(wide(least, most), {42, 0, 0}, i);
    seen_set |= value;
    seen_clear |= ~value;
    ASSERT_GE(wide_element(wide(0, most), {42, 0, 0}, i), 0);
    ASSERT_EQ(wide_element(wide(most, most), {42, 0, 0}, i), most);
  }
  EXPECT_EQ(seen_set, -1);
  EXPECT_EQ(seen_clear, -1);
}

TEST(Distribution, AProductOfTwoWordsHasItsUpperHalf) {
  using detail::upper_half_of_product;
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(upper_half_of_product(most, most), most - 1);
  EXPECT_EQ(upper_half_of_product(std::uint64_t{1} << 63, 6), 3u);
  EXPECT_EQ(upper_half_of_product(0x123456789ABCDEF0u, 0xFEDCBA9876543210u), 0x121FA00AD77D7422u);
}

TEST(Distribution, ConstantIsConstant) {
  for (const float value : draw({Kind::constant, 1.5, 0}, 100)) EXPECT_EQ(value, 1.5f);
}

// Bits that must never change: records refer to inputs by seed alone. The same are checked on the GPU.
TEST(Distribution, BitsArePinned) {
  const auto uniform = draw({Kind::uniform, 0, 1}, 4);
  const auto normal = draw({Kind::normal, 0, 1}, 4);
  const PhiloxBlock block = random_block({42, 0, 0}, 0);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(uniform[i], static_cast<float>(block.word[i] >> 8) / 16777216.0f);
    EXPECT_NEAR(normal[i], portable_normal_quantile(((block.word[i] >> 8) + 0.5) / 16777216.0), 1e-6);
  }
}

TEST(Distribution, AScaleMultipliesTheSameDraws) {
  const Distribution plain{Kind::normal, 0, 1};
  Distribution scaled = plain;
  scaled.exponent = -24;
  const auto before = draw(plain, 1000);
  const auto after = draw(scaled, 1000);
  for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(after[i], std::ldexp(before[i], -24));
}

TEST(Distribution, ASpreadGivesBlocksOfNeighboursPowersOfTheirOwn) {
  const Distribution plain{Kind::normal, 0, 1};
  Distribution spread = plain;
  spread.exponent = 3;
  spread.spread = 4;
  const auto before = draw(plain, 32 * 200);
  const auto after = draw(spread, 32 * 200);
  std::set<int> exponents;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const int exponent = std::ilogb(after[i]) - std::ilogb(before[i]);
    ASSERT_EQ(after[i], std::ldexp(before[i], exponent));
    if (i % 32 > 0) {
      ASSERT_EQ(exponent, std::ilogb(after[i - 1]) - std::ilogb(before[i - 1])) << i;
    }
    exponents.insert(exponent);
  }
  EXPECT_EQ(exponents, (std::set<int>{-1, 0, 1, 2, 3, 4, 5, 6, 7}));
}

// No machine may have other ones.
TEST(Distribution, TheBlocksArePinned) {
  Distribution spread{Kind::constant, 1};
  spread.spread = 4;
  std::vector<int> exponents;
  for (std::uint64_t block = 0; block < 6; ++block)
    exponents.push_back(std::ilogb(scale_at(spread, block * scaled_together)));
  EXPECT_EQ(exponents, (std::vector<int>{3, 1, 0, -4, 0, 4}));
}

TEST(Distribution, AChangedElementHasTheScaleOfItsPlace) {
  Distribution spread{Kind::uniform, 1, 2};
  spread.exponent = 20;
  spread.spread = 4;
  const RandomStream stream{42, 0, 0};
  for (std::uint32_t number = 0; number < 20; ++number) {
    const InputChanges changes = draw_changes(spread, stream, 1000, {7, 5, number});
    for (unsigned int k = 0; k < changes.count; ++k) {
      const float value = changes.value[k] / scale_at(spread, changes.position[k]);
      EXPECT_GE(value, 1.0f);
      EXPECT_LT(value, 2.0f);
    }
  }
}

}  // namespace kgrade::distribution_test
