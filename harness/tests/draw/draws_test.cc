#include "draw/draws.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace kgrade::draws_test {

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

}  // namespace kgrade::draws_test
