#include "draw/philox.h"

#include <gtest/gtest.h>

namespace kgrade::philox_test {

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

}  // namespace kgrade::philox_test
