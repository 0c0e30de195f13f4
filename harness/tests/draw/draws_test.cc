#include "draw/draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "draw/distribution.h"
#include "draw/philox.h"
#include "draw/seed.h"

namespace kgrade::draws_test {

using Kind = Distribution::Kind;

std::tuple<std::uint64_t, std::uint32_t, std::uint32_t> key(const Draw& draw) {
  return {draw.seed, draw.index, draw.change};
}

TEST(Draws, NoTwoAreTheSame) {
  DrawSequence draws(7);
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> seen;
  for (int i = 0; i < 100; ++i) {
    seen.insert(key(draws.fresh()));
    if (i % 3 == 0) seen.insert(key(draws.changed()));
    if (i % 9 == 0) seen.insert(key(draws.changed()));
  }
  EXPECT_EQ(seen.size(), 100u + 34 + 12);
}

TEST(Draws, AChangeIsOneOfTheContentsBefore) {
  DrawSequence draws(7);
  draws.fresh();
  const Draw before = draws.fresh(4);
  const Draw draw = draws.changed(2);
  EXPECT_EQ(draw.index, before.index);
  EXPECT_EQ(draw.seed, before.seed);
  EXPECT_TRUE(is_small_change(draw));
  EXPECT_FALSE(is_small_change(before));
  EXPECT_EQ(before.launches, 4u);
  EXPECT_EQ(draw.launches, 2u);
}

TEST(Draws, TheFirstChangeIsInTheLargestInput) {
  DrawSequence draws(7);
  draws.fresh();
  EXPECT_EQ(draws.changed().change % 2, 1u) << "see Draw";
}

TEST(Draws, SequencesThatBeginApartDoNotMeet) {
  DrawSequence first(7);
  DrawSequence second(7, 1000);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(second.fresh().index, first.fresh().index + 1000);
}

TEST(Draws, WhatIsDecidedByChanceHasASeedOfItsOwn) {
  const DrawSequence five(1, 0, 5);
  const DrawSequence six(1, 0, 6);
  int heads = 0;
  int differ = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(five.number_below(2, i), DrawSequence(2, 7, 5).number_below(2, i));
    heads += static_cast<int>(five.number_below(2, i));
    differ += five.number_below(2, i) != six.number_below(2, i) ? 1 : 0;
    EXPECT_LT(five.number_below(3, i), 3u);
  }
  EXPECT_NEAR(heads, 500, 4 * 16);
  EXPECT_NEAR(differ, 500, 4 * 16);
}

void expect_words(const PhiloxBlock& block, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::uint32_t d) {
  EXPECT_EQ(block.word[0], a);
  EXPECT_EQ(block.word[1], b);
  EXPECT_EQ(block.word[2], c);
  EXPECT_EQ(block.word[3], d);
}

// The known answers that the authors publish with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  expect_words(philox4x32_10({{0, 0, 0, 0}}, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  expect_words(philox4x32_10({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff),
               0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  expect_words(philox4x32_10({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
               0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Philox, BlockIndexFillsBothCounterWords) {
  const RandomStream stream{0x299f31d0a4093822, 0x13198a2e, 0x03707344};
  expect_words(random_block(stream, 0x85a308d3243f6a88), 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Philox, BytesAreLittleEndianWithinWords) {
  const PhiloxBlock block = {{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}};
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(random_byte(block, i), i % 16);
}

auto words(const RandomStream& stream) {
  const PhiloxBlock block = random_block(stream, 0);
  return std::make_tuple(block.word[0], block.word[1], block.word[2], block.word[3]);
}

TEST(Seed, EveryIngredientChangesTheStream) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  seen.insert(words(input_stream(1, "slug", "case", 0, 0)));
  seen.insert(words(input_stream(2, "slug", "case", 0, 0)));
  seen.insert(words(input_stream(1, "slugs", "case", 0, 0)));
  seen.insert(words(input_stream(1, "slug", "cast", 0, 0)));
  seen.insert(words(input_stream(1, "slug", "case", 1, 0)));
  seen.insert(words(input_stream(1, "slug", "case", 0, 1)));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(Seed, TheSameIngredientsGiveTheSameStream) {
  EXPECT_EQ(words(input_stream(7, "a", "b", 3, 4)), words(input_stream(7, "a", "b", 3, 4)));
}

TEST(Seed, OfCandidatesDifferByNumberAndAttempt) {
  EXPECT_EQ(seed_of_candidate(7, 0, 0), 7u) << "so that one seed repeats a candidate by itself";
  std::set<std::uint64_t> seen;
  for (const std::uint64_t run : {7u, 8u}) {
    for (const std::size_t number : {0u, 1u, 2u}) {
      for (const int attempt : {0, 1}) seen.insert(seed_of_candidate(run, number, attempt));
    }
  }
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_EQ(seed_of_candidate(7, 1, 0), seed_of_candidate(7, 1, 0));
}

TEST(Seed, RandomSeedsDiffer) { EXPECT_NE(random_seed(), random_seed()); }

// Values of 16-bit types: the float32 ones rounded, within the range of their distribution.

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

}  // namespace kgrade::draws_test
