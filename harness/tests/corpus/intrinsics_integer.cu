// Integer intrinsics over all pairs of a table of edge values.
#include "device_map.h"

namespace {

using corpus::first_word;
using corpus::pair_count;
using corpus::second_word;
using corpus::word;
using corpus::word_count;
using Long = long long;
using Unsigned = unsigned int;
using UnsignedLong = unsigned long long;

constexpr int a(int i) { return static_cast<int>(first_word(i)); }
constexpr int b(int i) { return static_cast<int>(second_word(i)); }
constexpr UnsignedLong wide(int i) { return static_cast<UnsignedLong>(first_word(i)) << 32 | second_word(i); }

int bits_set(UnsignedLong x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}
int first_set(UnsignedLong x) {
  for (int bit = 0; bit < 64; ++bit) {
    if ((x >> bit & 1) != 0) return bit + 1;
  }
  return 0;
}
int leading_zeros(UnsignedLong x, int bits) {
  int count = 0;
  while (count < bits && (x >> (bits - 1 - count) & 1) == 0) ++count;
  return count;
}
UnsignedLong reversed(UnsignedLong x, int bits) {
  UnsignedLong result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= (x >> bit & 1) << (bits - 1 - bit);
  return result;
}
Unsigned permuted(Unsigned x, Unsigned y, Unsigned selector) {
  const UnsignedLong both = static_cast<UnsignedLong>(y) << 32 | x;
  Unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const Unsigned nibble = selector >> 4 * i & 15;  // of which CUDA ignores the highest bit
    result |= static_cast<Unsigned>(both >> 8 * (nibble & 7) & 255) << 8 * i;
  }
  return result;
}
int byte_of(int x, int i) { return static_cast<signed char>(x >> 8 * i); }
int half_of(int x, int i) { return static_cast<short>(x >> 16 * i); }

}  // namespace

CORPUS_CASE(counts_and_reverses_bits) {
  EXPECT_SAME_VALUES(int, word_count, __popc(word(i)), bits_set(word(i)));
  EXPECT_SAME_VALUES(int, pair_count, __popcll(wide(i)), bits_set(wide(i)));
  EXPECT_SAME_VALUES(int, word_count, __clz(word(i)), leading_zeros(word(i), 32));
  EXPECT_SAME_VALUES(int, pair_count, __clzll(wide(i)), leading_zeros(wide(i), 64));
  EXPECT_SAME_VALUES(int, word_count, __ffs(word(i)), first_set(word(i)));
  EXPECT_SAME_VALUES(int, pair_count, __ffsll(wide(i)), first_set(wide(i)));
  EXPECT_SAME_VALUES(Unsigned, word_count, __brev(word(i)), Unsigned(reversed(word(i), 32)));
  EXPECT_SAME_VALUES(UnsignedLong, pair_count, __brevll(wide(i)), reversed(wide(i), 64));
}

CORPUS_CASE(multiplies_in_parts) {
  EXPECT_SAME_VALUES(int, pair_count, __mulhi(a(i), b(i)), int(Long(a(i)) * b(i) >> 32));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __umulhi(first_word(i), second_word(i)),
                     Unsigned(UnsignedLong(first_word(i)) * second_word(i) >> 32));
  EXPECT_SAME_VALUES(Long, pair_count, __mul64hi(Long(wide(i)), a(i)),
                     Long(__int128(Long(wide(i))) * a(i) >> 64));
  EXPECT_SAME_VALUES(UnsignedLong, pair_count, __umul64hi(wide(i), wide(pair_count - 1 - i)),
                     UnsignedLong((unsigned __int128)(wide(i)) * wide(pair_count - 1 - i) >> 64));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __umul24(first_word(i), second_word(i)),
                     (first_word(i) % 0x1000000u) * (second_word(i) % 0x1000000u));
  EXPECT_SAME_VALUES(int, pair_count, __mul24(a(i), b(i)),
                     int(Unsigned(int(first_word(i) << 8) >> 8) * Unsigned(int(second_word(i) << 8) >> 8)));
}

CORPUS_CASE(averages_and_adds_distances) {
  EXPECT_SAME_VALUES(int, pair_count, __hadd(a(i), b(i)), int((Long(a(i)) + b(i)) >> 1));
  EXPECT_SAME_VALUES(int, pair_count, __rhadd(a(i), b(i)), int((Long(a(i)) + b(i) + 1) >> 1));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __uhadd(first_word(i), second_word(i)),
                     Unsigned((UnsignedLong(first_word(i)) + second_word(i)) / 2));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __urhadd(first_word(i), second_word(i)),
                     Unsigned((UnsignedLong(first_word(i)) + second_word(i) + 1) / 2));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __sad(a(i), b(i), 7u),
                     7u + Unsigned(std::llabs(Long(a(i)) - b(i))));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __usad(first_word(i), second_word(i), 7u),
                     7u + Unsigned(std::llabs(Long(first_word(i)) - Long(second_word(i)))));
}

CORPUS_CASE(shifts_pairs_and_picks_bytes) {
  EXPECT_SAME_VALUES(
      Unsigned, pair_count * 40, __funnelshift_l(first_word(i / 40), second_word(i / 40), i % 40),
      Unsigned((UnsignedLong(second_word(i / 40)) << 32 | first_word(i / 40)) << i % 40 % 32 >> 32));
  EXPECT_SAME_VALUES(Unsigned, pair_count * 40,
                     __funnelshift_r(first_word(i / 40), second_word(i / 40), i % 40),
                     Unsigned((UnsignedLong(second_word(i / 40)) << 32 | first_word(i / 40)) >> i % 40 % 32));
  EXPECT_SAME_VALUES(Unsigned, pair_count * 40,
                     __funnelshift_lc(first_word(i / 40), second_word(i / 40), i % 40),
                     Unsigned((UnsignedLong(second_word(i / 40)) << 32 | first_word(i / 40))
                                  << (i % 40 < 32 ? i % 40 : 32) >>
                              32));
  EXPECT_SAME_VALUES(Unsigned, pair_count * 40,
                     __funnelshift_rc(first_word(i / 40), second_word(i / 40), i % 40),
                     Unsigned((UnsignedLong(second_word(i / 40)) << 32 | first_word(i / 40)) >>
                              (i % 40 < 32 ? i % 40 : 32)));
  EXPECT_SAME_VALUES(Unsigned, 65536, __byte_perm(0x83028101u, 0x07f60504u, i),
                     permuted(0x83028101u, 0x07f60504u, i));
}

CORPUS_CASE(dots_bytes_and_half_words) {
  EXPECT_SAME_VALUES(int, pair_count, __dp4a(a(i), b(i), 5),
                     5 + byte_of(a(i), 0) * byte_of(b(i), 0) + byte_of(a(i), 1) * byte_of(b(i), 1) +
                         byte_of(a(i), 2) * byte_of(b(i), 2) + byte_of(a(i), 3) * byte_of(b(i), 3));
  EXPECT_SAME_VALUES(Unsigned, pair_count, __dp4a(first_word(i), second_word(i), 5u),
                     5u + Unsigned((byte_of(a(i), 0) & 255) * (byte_of(b(i), 0) & 255) +
                                   (byte_of(a(i), 1) & 255) * (byte_of(b(i), 1) & 255) +
                                   (byte_of(a(i), 2) & 255) * (byte_of(b(i), 2) & 255) +
                                   (byte_of(a(i), 3) & 255) * (byte_of(b(i), 3) & 255)));
  EXPECT_SAME_VALUES(int, pair_count, __dp2a_lo(a(i), b(i), -9),
                     -9 + half_of(a(i), 0) * byte_of(b(i), 0) + half_of(a(i), 1) * byte_of(b(i), 1));
  EXPECT_SAME_VALUES(int, pair_count, __dp2a_hi(a(i), b(i), -9),
                     -9 + half_of(a(i), 0) * byte_of(b(i), 2) + half_of(a(i), 1) * byte_of(b(i), 3));
}

CORPUS_CASE(chooses_between_integers_of_mixed_types) {
  EXPECT_SAME_VALUES(int, pair_count, min(a(i), b(i)), a(i) < b(i) ? a(i) : b(i));
  EXPECT_SAME_VALUES(Unsigned, pair_count, max(a(i), second_word(i)),
                     first_word(i) > second_word(i) ? first_word(i) : second_word(i));
  EXPECT_SAME_VALUES(Long, pair_count, llmin(a(i), b(i)), Long(a(i) < b(i) ? a(i) : b(i)));
  EXPECT_SAME_VALUES(UnsignedLong, pair_count, max(Long(a(i)), UnsignedLong(7)),
                     UnsignedLong(Long(a(i))) > 7 ? UnsignedLong(Long(a(i))) : 7);
  EXPECT_SAME_VALUES(Unsigned, 32, __fns(0xf0f00010u, i, 2),
                     i < 5    ? 20u
                     : i < 21 ? (i < 20 ? 21u : 21u)
                     : i < 22 ? 22u
                     : i < 23 ? 23u
                     : i < 24 ? 28u
                     : i < 29 ? 29u
                     : i < 30 ? 30u
                     : i < 31 ? 31u
                              : ~0u);
}
