#include "draw/draws.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "draw/philox.h"
#include "draw/seed.h"

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

}  // namespace kgrade::draws_test
