#include "draw/seed.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace kgrade::seed_test {

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

}  // namespace kgrade::seed_test
