// The types of 16 bits against exact integer arithmetic: numbers are counted in units of 2^-48, the last bit
// of a product of two of the smallest halves.
#define KGRADE_EMULATED_BLOCK_MODE kgrade_emulated::BlockMode::independent
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace low_precision_test {

__extension__ typedef __int128 Exact;

constexpr int unit_exponent = -48;

template <class Number>
struct Traits;
template <>
struct Traits<__half> {
  static constexpr int precision = 11;
  static constexpr int lowest_exponent = -14;
  static constexpr double largest = 65504.0;
};
template <>
struct Traits<__nv_bfloat16> {
  static constexpr int precision = 8;
  static constexpr int lowest_exponent = -126;
  static constexpr double largest = 0x1.fep127;
};

template <class Number>
Number number(unsigned int bits) {
  return __builtin_bit_cast(Number, static_cast<unsigned short>(bits));
}

template <class Number>
unsigned int bits_of(Number x) {
  return __builtin_bit_cast(unsigned short, x);
}

// In units of 2^-24; every number used here is a whole number of them.
Exact count(float x) { return std::llrint(std::ldexp(static_cast<double>(x), 24)); }

// To nearest, ties to even, in integers.
template <class Number>
double round_exact(Exact units) {
  const bool negative = units < 0;
  const Exact magnitude = negative ? -units : units;
  int bits = 0;
  while (bits < 120 && magnitude >> bits != 0) ++bits;
  int dropped =
      std::max(bits, Traits<Number>::lowest_exponent + 1 - unit_exponent) - Traits<Number>::precision;
  dropped = std::max(dropped, 0);
  Exact kept = magnitude >> dropped;
  const Exact twice_rest = (magnitude - (kept << dropped)) * 2, whole = Exact{1} << dropped;
  if (twice_rest > whole || (twice_rest == whole && kept % 2 == 1)) ++kept;
  const double result = std::ldexp(static_cast<double>(kept), dropped + unit_exponent);
  const double finite = result > Traits<Number>::largest ? INFINITY : result;
  return negative ? -finite : finite;
}

// Halves of all sizes; bfloats from 2^-6 to 2^14, so that count() holds their products too.
template <class Number>
Number draw(std::mt19937& random) {
  const auto drawn = static_cast<unsigned int>(random());
  const unsigned int lowest = Traits<Number>::precision == 11 ? 0 : (127 - 6) * 0x80;
  const unsigned int magnitude = lowest + drawn % (lowest == 0 ? 0x7c00 : 20 * 0x80);
  return number<Number>(magnitude | (drawn >> 31) << 15);
}

// Every third addend nearly cancels the product.
template <class Number>
void expect_exact_arithmetic() {
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const Number a = draw<Number>(random), b = draw<Number>(random);
    const Number c = i % 3 == 0 ? -(a * b) : draw<Number>(random);
    const float x = a, y = b, z = c;
    const std::string operands = std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z);
    const Exact unit = Exact{1} << 24;
    ASSERT_EQ(static_cast<float>(a + b), round_exact<Number>((count(x) + count(y)) * unit)) << operands;
    ASSERT_EQ(static_cast<float>(a - b), round_exact<Number>((count(x) - count(y)) * unit)) << operands;
    ASSERT_EQ(static_cast<float>(a * b), round_exact<Number>(count(x) * count(y))) << operands;
    if (!std::isfinite(z)) continue;
    ASSERT_EQ(static_cast<float>(__hfma(a, b, c)), round_exact<Number>(count(x) * count(y) + count(z) * unit))
        << operands;
  }
}

TEST(LowPrecision, HalfArithmeticIsRoundedOnce) { expect_exact_arithmetic<__half>(); }

TEST(LowPrecision, BfloatArithmeticIsRoundedOnce) { expect_exact_arithmetic<__nv_bfloat16>(); }

// Quotients of all significands, where the quotient is a normal and where it is a denormal half. Correct if
// it lies no further from the exact one than half a unit: |a - q b| <= b unit / 2, all of them exact in
// double.
TEST(LowPrecision, HalfQuotientsAreTheNearest) {
  for (unsigned int a = 0x3c00; a < 0x4000; a += 3) {
    for (unsigned int b = 0x3c00; b < 0x4000; b += 5) {
      for (const unsigned int smaller : {0u, 0x3800u}) {
        const __half x = number<__half>(a - smaller), y = number<__half>(b + (smaller != 0 ? 0x800 : 0));
        const double numerator = static_cast<float>(x), divisor = static_cast<float>(y),
                     q = static_cast<float>(x / y);
        const double unit = std::ldexp(1.0, std::max(q > 0 ? std::ilogb(q) : -14, -14) - 10);
        ASSERT_LE(std::fabs(numerator - q * divisor), divisor * unit / 2) << numerator << " / " << divisor;
      }
    }
  }
}

// The middle of two bfloats and an addend that double cannot hold beside it.
TEST(LowPrecision, BfloatFusedMultiplyAddSeesTheSmallestAddend) {
  const __nv_bfloat16 x = 1.0625f, tiny = 0x1p-133f;
  EXPECT_EQ(static_cast<float>(__hfma(x, x, tiny)), 1.1328125f);
  EXPECT_EQ(static_cast<float>(__hfma(x, x, -tiny)), 1.125f);
  EXPECT_EQ(static_cast<float>(__hfma(-x, x, -tiny)), -1.1328125f);
}

// Every half passes unchanged through float and every rounding mode; a float just above it is only rounded up
// in modes that round up.
TEST(LowPrecision, DirectedRoundingsEncloseTheFloat) {
  for (unsigned int bits = 1; bits < 0x7bff; ++bits) {
    const float x = number<__half>(bits), above = std::nextafterf(x, INFINITY);
    ASSERT_EQ(bits_of(__float2half_ru(x)), bits);
    ASSERT_EQ(bits_of(__float2half_rz(-x)), bits | 0x8000u);
    ASSERT_EQ(bits_of(__float2half_rn(above)), bits);
    ASSERT_EQ(bits_of(__float2half_rd(above)), bits);
    ASSERT_EQ(bits_of(__float2half_ru(above)), bits + 1);
    ASSERT_EQ(bits_of(__float2half_rd(-above)), (bits + 1) | 0x8000u);
  }
}

// More than 53 bits: the lowest one still breaks the tie.
TEST(LowPrecision, LongIntegersAreRoundedOnce) {
  const long long middle = (1ll << 62) + (1ll << 54);  // of two bfloats, the lower one even
  EXPECT_EQ(static_cast<float>(__ll2bfloat16_rn(middle)), 0x1p62f);
  EXPECT_EQ(static_cast<float>(__ll2bfloat16_rn(middle + 1)), 0x1p62f + 0x1p55f);
  EXPECT_EQ(static_cast<float>(__ll2bfloat16_rn(-middle - 1)), -0x1p62f - 0x1p55f);
  EXPECT_EQ(static_cast<float>(__ull2bfloat16_ru((1ull << 63) + 1)), 0x1p63f + 0x1p56f);
}

}  // namespace low_precision_test
