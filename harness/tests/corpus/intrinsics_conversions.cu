// Conversions in the four rounding modes, against whole numbers and the host's directed rounding.
#include <cfenv>
#include <limits>

#include "device_map.h"

namespace {

using corpus::first_word;
using corpus::pair_count;
using corpus::second_word;
using corpus::word;
using corpus::word_count;
using Unsigned = unsigned int;
using Long = long long;
using UnsignedLong = unsigned long long;

constexpr UnsignedLong wide(int i) { return static_cast<UnsignedLong>(first_word(i)) << 32 | second_word(i); }

// The floats and doubles whose bits are the table's words: infinities are among them.
template <class T>
constexpr T halves(int i) {
  return static_cast<T>(static_cast<Long>(wide(i)) >> (i % 64)) / 4;
}

template <class To, class From>
To in_mode(int mode, From x) {
  volatile From from = x;
  std::fesetround(mode);
  volatile To to = static_cast<To>(from);
  std::fesetround(FE_TONEAREST);
  return to;
}

// The whole number next to x in a mode, or the nearest that the type has; NaN is not among the cases.
template <class To, class From>
To whole(int mode, From x) {
  const long double exact = x;
  long double result = mode == FE_DOWNWARD     ? std::floor(exact)
                       : mode == FE_UPWARD     ? std::ceil(exact)
                       : mode == FE_TOWARDZERO ? std::trunc(exact)
                                               : std::nearbyint(exact);
  if (result >= static_cast<long double>(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  if (result <= static_cast<long double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  return static_cast<To>(result);
}

}  // namespace

#define EXPECT_MODES(to, name, count, x, host)                         \
  EXPECT_SAME_VALUES(to, count, name##_rn(x), host(FE_TONEAREST, x));  \
  EXPECT_SAME_VALUES(to, count, name##_rz(x), host(FE_TOWARDZERO, x)); \
  EXPECT_SAME_VALUES(to, count, name##_rd(x), host(FE_DOWNWARD, x));   \
  EXPECT_SAME_VALUES(to, count, name##_ru(x), host(FE_UPWARD, x))

CORPUS_CASE(rounds_integers_to_floats) {
  EXPECT_MODES(float, __int2float, word_count, int(word(i)), in_mode<float>);
  EXPECT_MODES(float, __uint2float, word_count, word(i), in_mode<float>);
  EXPECT_MODES(float, __ll2float, pair_count, Long(wide(i)), in_mode<float>);
  EXPECT_MODES(float, __ull2float, pair_count, wide(i), in_mode<float>);
}

CORPUS_CASE(rounds_long_integers_to_doubles) {
  EXPECT_MODES(double, __ll2double, pair_count, Long(wide(i)), in_mode<double>);
  EXPECT_MODES(double, __ull2double, pair_count, wide(i), in_mode<double>);
  EXPECT_MODES(float, __double2float, pair_count, halves<double>(i) * 0x1.0000001p-3, in_mode<float>);
}

CORPUS_CASE(rounds_floats_to_integers) {
  EXPECT_MODES(int, __float2int, pair_count, halves<float>(i), whole<int>);
  EXPECT_MODES(Unsigned, __float2uint, pair_count, halves<float>(i), whole<Unsigned>);
  EXPECT_MODES(Long, __float2ll, pair_count, halves<float>(i) * 16, whole<Long>);
  EXPECT_MODES(UnsignedLong, __float2ull, pair_count, halves<float>(i) * 16, whole<UnsignedLong>);
}

CORPUS_CASE(rounds_doubles_to_integers) {
  EXPECT_MODES(int, __double2int, pair_count, halves<double>(i), whole<int>);
  EXPECT_MODES(Unsigned, __double2uint, pair_count, halves<double>(i), whole<Unsigned>);
  EXPECT_MODES(Long, __double2ll, pair_count, halves<double>(i) * 16, whole<Long>);
  EXPECT_MODES(UnsignedLong, __double2ull, pair_count, halves<double>(i) * 16, whole<UnsignedLong>);
}

CORPUS_CASE(converts_what_is_no_number) {
  EXPECT_SAME_VALUES(int, 1, __float2int_rn(__int_as_float(0x7fc00000)), 0);
  EXPECT_SAME_VALUES(Unsigned, 1, __float2uint_rz(__int_as_float(0x7fc00000)), 0u);
  EXPECT_SAME_VALUES(Long, 1, __float2ll_rd(__int_as_float(0x7fc00000)), std::numeric_limits<Long>::min());
  EXPECT_SAME_VALUES(int, 1, __double2int_ru(__longlong_as_double(0x7ff8000000000000)),
                     std::numeric_limits<int>::min());
  EXPECT_SAME_VALUES(UnsignedLong, 1, __double2ull_rn(__longlong_as_double(0x7ff8000000000000)), 1ull << 63);
}

CORPUS_CASE(reinterprets_bits) {
  EXPECT_SAME_VALUES(Unsigned, word_count, __float_as_uint(__uint_as_float(word(i) & 0xff7fffffu)),
                     word(i) & 0xff7fffffu);
  EXPECT_SAME_VALUES(int, 1, __float_as_int(-1.5f), int(0xbfc00000u));
  EXPECT_SAME_VALUES(Long, 1, __double_as_longlong(-1.5), Long(0xbff8000000000000ull));
  EXPECT_SAME_VALUES(int, 1, __double2hiint(-1.5) ^ __double2loint(0x1.00000deadbeefp0),
                     int(0xbff80000u ^ 0xdeadbeefu));
  EXPECT_SAME_VALUES(double, 1, __hiloint2double(0x3ff00000, -1), 0x1.00000ffffffffp0);
}
