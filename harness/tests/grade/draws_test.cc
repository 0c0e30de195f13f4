#include "grade/draws.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace kgrade {
namespace {

constexpr int rounds = 200;

std::tuple<std::uint64_t, std::uint32_t, std::uint32_t> key(const Draw& draw) {
  return {draw.seed, draw.index, draw.change};
}

TEST(Draws, TheWarmUpIsNew) {
  for (const std::uint64_t seed : {0, 1, 7}) {
    EXPECT_EQ(key(draw_of_round(seed, 0)), std::make_tuple(seed, 0u, 0u));
    EXPECT_FALSE(is_small_change(draw_of_round(seed, 0)));
  }
}

TEST(Draws, NoTwoRoundsHaveTheSameContents) {
  for (const std::uint64_t seed : {0, 1, 7}) {
    std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> seen;
    for (int round = 0; round < rounds; ++round) seen.insert(key(draw_of_round(seed, round)));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(rounds));
  }
}

TEST(Draws, TheSameSeedGivesTheSameDraws) {
  for (int round = 0; round < rounds; ++round)
    EXPECT_EQ(key(draw_of_round(7, round)), key(draw_of_round(7, round)));
}

TEST(Draws, OfTheFirstTwoAndOfTwoInEveryEightOneIsASmallChange) {
  for (const std::uint64_t seed : {0, 1, 7}) {
    for (int first = 1; first < rounds; first += 2) {
      const bool one = is_small_change(draw_of_round(seed, first));
      const bool other = is_small_change(draw_of_round(seed, first + 1));
      EXPECT_EQ(one != other, first % 8 == 1) << first;
      EXPECT_FALSE(one && other) << first;
    }
  }
}

TEST(Draws, AChangeIsMadeToTheContentsOfTheRoundBefore) {
  for (const std::uint64_t seed : {0, 1, 7}) {
    for (int round = 1; round < rounds; ++round) {
      const Draw before = draw_of_round(seed, round - 1);
      const Draw draw = draw_of_round(seed, round);
      EXPECT_EQ(draw.seed, seed);
      EXPECT_EQ(is_small_change(draw), draw.index == before.index) << round;
    }
  }
}

TEST(Draws, NewContentsWereNeverThereBefore) {
  std::set<std::uint32_t> seen;
  for (int round = 0; round < rounds; ++round) {
    const Draw draw = draw_of_round(7, round);
    if (!is_small_change(draw)) {
      EXPECT_TRUE(seen.insert(draw.index).second) << round;
    }
  }
}

// Odd ones are in the largest input, even ones go round: see contest/lease.h.
TEST(Draws, ChangesAreOddAndEvenInTurn) {
  std::uint32_t changes = 0;
  for (int round = 0; round < rounds; ++round) {
    const Draw draw = draw_of_round(7, round);
    if (is_small_change(draw)) {
      EXPECT_EQ(draw.change, ++changes);
    }
  }
  EXPECT_EQ(changes, 25u);
}

TEST(Draws, NobodyCanTellWhichOfAPairIsTheChange) {
  int first = 0;
  int differ = 0;
  for (int pair = 0; pair < 1000; ++pair) {
    const bool of_five = is_small_change(draw_of_round(5, 8 * pair + 1));
    first += of_five ? 1 : 0;
    differ += of_five != is_small_change(draw_of_round(6, 8 * pair + 1)) ? 1 : 0;
  }
  // Five standard deviations of a fair coin.
  EXPECT_NEAR(first, 500, 79);
  EXPECT_NEAR(differ, 500, 79);
}

}  // namespace
}  // namespace kgrade
