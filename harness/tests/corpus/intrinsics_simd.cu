// Two half-words or four bytes at once, against loops over the parts.
#include "device_map.h"

namespace {

using corpus::first_word;
using corpus::pair_count;
using corpus::second_word;
using corpus::word;
using corpus::word_count;
using Unsigned = unsigned int;

// Applies `part` to each half-word (bits 16) or byte (bits 8) of two words.
template <class F>
Unsigned parts(Unsigned x, Unsigned y, int bits, bool with_sign, F part) {
  Unsigned result = 0;
  for (int at = 0; at < 32; at += bits) {
    const auto take = [&](Unsigned w) {
      const long long value = w >> at & ((1u << bits) - 1);
      return with_sign && value >= 1ll << (bits - 1) ? value - (1ll << bits) : value;
    };
    result |= (static_cast<Unsigned>(part(take(x), take(y))) & ((1u << bits) - 1)) << at;
  }
  return result;
}

long long clamped(long long value, int bits, bool with_sign) {
  const long long least = with_sign ? -(1ll << (bits - 1)) : 0;
  const long long most = (1ll << (with_sign ? bits - 1 : bits)) - 1;
  return value < least ? least : value > most ? most : value;
}

}  // namespace

#define EXPECT_PARTS(name, bits, with_sign, expression)                         \
  EXPECT_SAME_VALUES(Unsigned, pair_count, name(first_word(i), second_word(i)), \
                     parts(first_word(i), second_word(i), bits, with_sign,      \
                           [](long long x, long long y) -> long long { return expression; }))
#define EXPECT_BOTH(name, with_sign, expression)          \
  {                                                       \
    {                                                     \
      constexpr int bits = 16;                            \
      EXPECT_PARTS(name##2, bits, with_sign, expression); \
    }                                                     \
    {                                                     \
      constexpr int bits = 8;                             \
      EXPECT_PARTS(name##4, bits, with_sign, expression); \
    }                                                     \
  }
#define EXPECT_ALONE(name, expression)                                                     \
  EXPECT_SAME_VALUES(Unsigned, word_count, name##2(word(i)),                               \
                     parts(word(i), 0, 16, true, [](long long x, long long) -> long long { \
                       constexpr int bits = 16;                                            \
                       return expression;                                                  \
                     }));                                                                  \
  EXPECT_SAME_VALUES(Unsigned, word_count, name##4(word(i)),                               \
                     parts(word(i), 0, 8, true, [](long long x, long long) -> long long {  \
                       constexpr int bits = 8;                                             \
                       return expression;                                                  \
                     }))

CORPUS_CASE(adds_and_subtracts_parts) {
  EXPECT_BOTH(__vadd, false, x + y);
  EXPECT_BOTH(__vsub, false, x - y);
  EXPECT_BOTH(__vaddss, true, clamped(x + y, bits, true));
  EXPECT_BOTH(__vsubss, true, clamped(x - y, bits, true));
  EXPECT_BOTH(__vaddus, false, clamped(x + y, bits, false));
  EXPECT_BOTH(__vsubus, false, clamped(x - y, bits, false));
  EXPECT_ALONE(__vneg, -x + 0 * bits);
  EXPECT_ALONE(__vnegss, clamped(-x, bits, true));
  EXPECT_ALONE(__vabs, (x < 0 ? -x : x) + 0 * bits);
  EXPECT_ALONE(__vabsss, clamped(x < 0 ? -x : x, bits, true));
}

// Signed averages that end in a half are rounded away from zero.
CORPUS_CASE(averages_and_compares_sizes_of_parts) {
  EXPECT_BOTH(__vavgs, true, (x + y + (x + y >= 0 ? 1 : -1)) / 2);
  EXPECT_BOTH(__vavgu, false, (x + y + 1) / 2);
  EXPECT_BOTH(__vhaddu, false, (x + y) / 2);
  EXPECT_BOTH(__vabsdiffs, true, x > y ? x - y : y - x);
  EXPECT_BOTH(__vabsdiffu, false, x > y ? x - y : y - x);
  EXPECT_BOTH(__vmaxs, true, x > y ? x : y);
  EXPECT_BOTH(__vmaxu, false, x > y ? x : y);
  EXPECT_BOTH(__vmins, true, x < y ? x : y);
  EXPECT_BOTH(__vminu, false, x < y ? x : y);
}

CORPUS_CASE(sums_distances_of_parts) {
  const auto sum = [](Unsigned differences, int bits) {
    Unsigned total = 0;
    for (int at = 0; at < 32; at += bits) total += differences >> at & ((1u << bits) - 1);
    return total;
  };
  const auto distances = [](int i, int bits, bool with_sign) {
    return parts(first_word(i), second_word(i), bits, with_sign,
                 [](long long x, long long y) { return x > y ? x - y : y - x; });
  };
#define EXPECT_SUMS(name, bits, with_sign)                                                               \
  report.expect_equal(                                                                                   \
      #name,                                                                                             \
      corpus::on_device<Unsigned>(                                                                       \
          pair_count, [] __device__(int i) -> Unsigned { return name(first_word(i), second_word(i)); }), \
      corpus::on_host<Unsigned>(pair_count,                                                              \
                                [&](int i) { return sum(distances(i, bits, with_sign), bits); }))
  EXPECT_SUMS(__vsads2, 16, true);
  EXPECT_SUMS(__vsads4, 8, true);
  EXPECT_SUMS(__vsadu2, 16, false);
  EXPECT_SUMS(__vsadu4, 8, false);
}

#define EXPECT_COMPARISON(ending, with_sign, operation)           \
  EXPECT_BOTH(__vcmp##ending, with_sign, x operation y ? -1 : 0); \
  EXPECT_BOTH(__vset##ending, with_sign, x operation y ? 1 : 0)

CORPUS_CASE(compares_parts) {
  EXPECT_COMPARISON(eq, false, ==);
  EXPECT_COMPARISON(ne, false, !=);
  EXPECT_COMPARISON(ges, true, >=);
  EXPECT_COMPARISON(gtu, false, >);
  EXPECT_COMPARISON(les, true, <=);
  EXPECT_COMPARISON(ltu, false, <);
}

CORPUS_CASE(compares_parts_of_the_other_sign) {
  EXPECT_COMPARISON(geu, false, >=);
  EXPECT_COMPARISON(gts, true, >);
  EXPECT_COMPARISON(leu, false, <=);
  EXPECT_COMPARISON(lts, true, <);
}
