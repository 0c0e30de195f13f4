// The combined minima and maxima of words and half-words.
#include "device_map.h"

namespace {

using corpus::first_word;
using corpus::pair_count;
using corpus::second_word;
using Unsigned = unsigned int;

constexpr Unsigned c(int i) { return corpus::word((i * 7 + 3) % corpus::word_count); }

template <class T>
T larger(T x, T y) {
  return x > y ? x : y;
}
template <class T>
T smaller(T x, T y) {
  return x < y ? x : y;
}

// Both half-words of three words.
template <class Half, class F>
Unsigned halves(int i, F part) {
  const auto at = [&](int shift) {
    const auto value = part(static_cast<Half>(first_word(i) >> shift),
                            static_cast<Half>(second_word(i) >> shift), static_cast<Half>(c(i) >> shift));
    return static_cast<Unsigned>(static_cast<unsigned short>(value)) << shift;
  };
  return at(0) | at(16);
}

}  // namespace

#define EXPECT_WORDS(name, type, expression)                                                        \
  EXPECT_SAME_VALUES(type, pair_count, name(type(first_word(i)), type(second_word(i)), type(c(i))), \
                     ([](type x, type y, type z) -> type {                                          \
                       return expression;                                                           \
                     }(type(first_word(i)), type(second_word(i)), type(c(i)))))
#define EXPECT_HALVES(name, half, expression)                                         \
  EXPECT_SAME_VALUES(Unsigned, pair_count, name(first_word(i), second_word(i), c(i)), \
                     halves<half>(i, [](half x, half y, half z) -> half { return expression; }))

CORPUS_CASE(chooses_of_three) {
  EXPECT_WORDS(__vimax3_s32, int, larger(larger(x, y), z));
  EXPECT_WORDS(__vimax3_u32, Unsigned, larger(larger(x, y), z));
  EXPECT_WORDS(__vimin3_s32, int, smaller(smaller(x, y), z));
  EXPECT_WORDS(__vimin3_u32, Unsigned, smaller(smaller(x, y), z));
  EXPECT_WORDS(__vimax3_s32_relu, int, larger(larger(larger(x, y), z), 0));
  EXPECT_WORDS(__vimin3_s32_relu, int, larger(smaller(smaller(x, y), z), 0));
  EXPECT_HALVES(__vimax3_s16x2, short, larger(larger(x, y), z));
  EXPECT_HALVES(__vimin3_u16x2, unsigned short, smaller(smaller(x, y), z));
  EXPECT_HALVES(__vimin3_s16x2_relu, short, larger(smaller(smaller(x, y), z), short(0)));
}

CORPUS_CASE(adds_and_chooses) {
  EXPECT_WORDS(__viaddmax_s32, int, larger(int(Unsigned(x) + Unsigned(y)), z));
  EXPECT_WORDS(__viaddmax_u32, Unsigned, larger(x + y, z));
  EXPECT_WORDS(__viaddmin_s32, int, smaller(int(Unsigned(x) + Unsigned(y)), z));
  EXPECT_WORDS(__viaddmin_s32_relu, int, larger(smaller(int(Unsigned(x) + Unsigned(y)), z), 0));
  EXPECT_HALVES(__viaddmax_s16x2, short, larger(short(x + y), z));
  EXPECT_HALVES(__viaddmax_u16x2, unsigned short, larger((unsigned short)(x + y), z));
  EXPECT_HALVES(__viaddmin_u16x2, unsigned short, smaller((unsigned short)(x + y), z));
  EXPECT_HALVES(__viaddmax_s16x2_relu, short, larger(larger(short(x + y), z), short(0)));
}

CORPUS_CASE(tells_which_was_chosen) {
  EXPECT_SAME_VALUES(int, pair_count, ([](int x, int y) {
                       bool first = false;
                       const int value = __vibmax_s32(x, y, &first);
                       return value ^ (first ? 1 << 30 : 0);
                     }(int(first_word(i)), int(second_word(i)))),
                     larger(int(first_word(i)), int(second_word(i))) ^
                         (int(first_word(i)) >= int(second_word(i)) ? 1 << 30 : 0));
  EXPECT_SAME_VALUES(Unsigned, pair_count, ([](Unsigned x, Unsigned y) {
                       bool high = false, low = false;
                       __vibmin_u16x2(x, y, &high, &low);
                       return (high ? 2u : 0u) | (low ? 1u : 0u);
                     }(first_word(i), second_word(i))),
                     (first_word(i) >> 16 <= second_word(i) >> 16 ? 2u : 0u) |
                         ((first_word(i) & 65535) <= (second_word(i) & 65535) ? 1u : 0u));
  EXPECT_SAME_VALUES(int, pair_count, __vimax_s32_relu(int(first_word(i)), int(second_word(i))),
                     larger(larger(int(first_word(i)), int(second_word(i))), 0));
  EXPECT_SAME_VALUES(int, pair_count, __vimin_s32_relu(int(first_word(i)), int(second_word(i))),
                     larger(smaller(int(first_word(i)), int(second_word(i))), 0));
}
