// Numbers of at most 16 bits: rounding to their formats, correct rounding of arithmetic that passes through a
// wider type, and arithmetic on __half and __nv_bfloat16. Each type names its format.
//
// A float has more than twice the bits of either type plus two. So the float result of + - * / and sqrt,
// rounded again, is the correctly rounded result (Figueroa, "When is double rounding innocuous?", 1995). The
// result of a fused multiply-add is not.
#pragma once

#include <limits>
#include <type_traits>

#include "kgrade_emulated/bits.h"

namespace kgrade_emulated {

enum class Rounding { nearest, to_zero, down, up };

constexpr bool is_negative(double x) { return bit_cast<unsigned long long>(x) >> 63 != 0; }

constexpr bool rounds_away(Rounding rounding, bool negative) {
  return rounding == (negative ? Rounding::down : Rounding::up);
}

// The magnitude of a finite x, rounded: exponent and mantissa side by side, as they are stored, in a format
// without a largest exponent. A number too large for the real format gets a code above the largest one.
template <int MantissaBits, int Bias>
constexpr unsigned long long round_magnitude(double x, Rounding rounding) {
  const unsigned long long bits = bit_cast<unsigned long long>(x);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const int exponent = field - 1023 + Bias;
  const unsigned long long significand = (bits & 0xfffffffffffffull) | (field != 0 ? 1ull << 52 : 0);
  const int denormal_shift = exponent < 1 ? 1 - exponent : 0;
  const int shift =
      52 - MantissaBits + (denormal_shift < 11 + MantissaBits ? denormal_shift : 11 + MantissaBits);
  const unsigned long long kept = significand >> shift;
  const unsigned long long rest = significand & ((1ull << shift) - 1), middle = 1ull << (shift - 1);
  bool up = rest != 0 && rounds_away(rounding, is_negative(x));
  if (rounding == Rounding::nearest) up = rest > middle || (rest == middle && (kept & 1) != 0);
  // The leading bit of the significand carries into the exponent.
  const unsigned long long exponent_part =
      exponent < 1 ? 0 : static_cast<unsigned long long>(exponent - 1) << MantissaBits;
  return exponent_part + kept + (up ? 1 : 0);
}

// IEEE 754 binary16.
struct Binary16 {
  static constexpr int mantissa_bits = 10;
  static constexpr int bias = 15;
  static constexpr unsigned short infinity = 0x7c00;

  static constexpr float to_float(unsigned short bits) {
    const bool negative = (bits & 0x8000) != 0;
    const unsigned int magnitude = bits & 0x7fffu;
    if (magnitude > infinity) return bit_cast<float>(0x7fffffffu);
    if (magnitude < 0x400) return static_cast<float>(magnitude) * (negative ? -0x1p-24f : 0x1p-24f);
    const unsigned int rebias = magnitude == infinity ? 0x70000000u : 0x38000000u;
    return bit_cast<float>((negative ? 0x80000000u : 0u) | ((magnitude << 13) + rebias));
  }

  // To nearest.
  static constexpr unsigned short from_float(float x) {
    const unsigned int bits = bit_cast<unsigned int>(x), magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7fff;
    unsigned int result = infinity;
    if (magnitude < 0x38800000u) {
      // The spacing of floats from 0.5 on is that of denormal halves: the addition rounds.
      result = bit_cast<unsigned int>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    } else if (magnitude < 0x477ff000u) {
      result = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1)) >> 13;
    }
    return static_cast<unsigned short>((bits >> 16 & 0x8000u) | result);
  }
};

// The upper half of a float.
struct BFloat16 {
  static constexpr int mantissa_bits = 7;
  static constexpr int bias = 127;
  static constexpr unsigned short infinity = 0x7f80;

  static constexpr float to_float(unsigned short bits) {
    return bit_cast<float>(static_cast<unsigned int>(bits) << 16);
  }

  // To nearest.
  static constexpr unsigned short from_float(float x) {
    const unsigned int bits = bit_cast<unsigned int>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
  }
};

// A NaN becomes CUDA's canonical one.
template <class Format>
constexpr unsigned short encode(double x, Rounding rounding) {
  if (x != x) return 0x7fff;
  const unsigned int sign = is_negative(x) ? 0x8000 : 0;
  if (x - x != 0) return static_cast<unsigned short>(sign | Format::infinity);
  const auto magnitude = round_magnitude<Format::mantissa_bits, Format::bias>(x, rounding);
  if (magnitude < Format::infinity) return static_cast<unsigned short>(sign | magnitude);
  const bool overflows = rounding == Rounding::nearest || rounds_away(rounding, sign != 0);
  return static_cast<unsigned short>(sign | (overflows ? Format::infinity : Format::infinity - 1u));
}

// x + y, rounded to odd: a sum that is not exact gets the neighbour with an odd last bit, which lies on the
// same side of every shorter number and every middle between two of them as the exact sum. Rounded again to
// a format with two bits fewer at least, it gives what the exact sum gives (Boldo and Melquiond, "Emulation
// of a FMA and correctly rounded sums", 2008). The error of the sum is Knuth's TwoSum.
constexpr double add_to_odd(double x, double y) {
  const double sum = x + y;
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);
  const unsigned long long bits = bit_cast<unsigned long long>(sum);
  const bool inexact = error < 0 || error > 0;  // false if the error is a NaN
  if (!inexact || (bits & 1) != 0) return sum;
  return bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// An integer as a double. If the integer has more than 53 bits, the lowest kept bit says whether any lost bit
// was set. This is enough to round the double to a short format as if it were the integer.
template <class Integer>
constexpr double widen_integer(Integer x) {
  if constexpr (sizeof(Integer) <= 4) return x;
  const bool negative = x < 0;
  unsigned long long magnitude = static_cast<unsigned long long>(x);
  if (negative) magnitude = 0 - magnitude;
  if (magnitude >> 53 != 0) magnitude = (magnitude & ~0x7ffull) | ((magnitude & 0x7ff) != 0 ? 0x800 : 0);
  const double widened = static_cast<double>(magnitude);
  return negative ? -widened : widened;
}

// Converts a whole number, or truncates any other number. Out of range it saturates; a NaN becomes 0, or only
// the highest bit in a type of 64 bits (Math API manual, __half2int_rz and __half2ll_rz).
template <class Integer>
constexpr Integer to_integer(float x) {
  using Limits = std::numeric_limits<Integer>;
  constexpr float end = 2.0f * static_cast<float>(1ull << (Limits::digits - 1));
  if (x != x) return sizeof(Integer) == 8 ? static_cast<Integer>(1ull << 63) : Integer{0};
  if (x >= end) return Limits::max();
  if (x <= static_cast<float>(Limits::min())) return Limits::min();
  return static_cast<Integer>(x);
}

template <class Number>
constexpr unsigned short bits_of(Number x) {
  return bit_cast<unsigned short>(x);
}

template <class Number>
constexpr Number number_of(unsigned short bits) {
  return bit_cast<Number>(bits);
}

template <class Number>
constexpr float value(Number x) {
  return Number::Format::to_float(bits_of(x));
}

template <class Number>
constexpr Number rounded(float x) {
  return number_of<Number>(Number::Format::from_float(x));
}

template <class Number>
constexpr Number rounded(double x, Rounding rounding) {
  return number_of<Number>(encode<typename Number::Format>(x, rounding));
}

template <class Number>
constexpr Number canonical_nan() {
  return number_of<Number>(0x7fff);
}

template <class Number>
constexpr bool is_nan(Number x) {
  return (bits_of(x) & 0x7fff) > Number::Format::infinity;
}

template <class Number>
constexpr Number absolute(Number x) {
  return is_nan(x) ? canonical_nan<Number>() : number_of<Number>(bits_of(x) & 0x7fff);
}

template <class Number>
constexpr Number negated(Number x) {
  return is_nan(x) ? canonical_nan<Number>() : number_of<Number>(bits_of(x) ^ 0x8000);
}

// A NaN gives way to a number; +0 is larger than -0.
template <class Number>
constexpr Number larger(Number a, Number b) {
  const float x = value(a), y = value(b);
  if (x != x) return y != y ? canonical_nan<Number>() : b;
  if (y != y) return a;
  if (x == y) return bits_of(a) < bits_of(b) ? a : b;
  return x > y ? a : b;
}

template <class Number>
constexpr Number smaller(Number a, Number b) {
  return negated(larger(negated(a), negated(b)));
}

// Clamped to [+0, 1]; a NaN becomes +0.
template <class Number>
constexpr Number saturated(Number x) {
  return smaller(larger(x, number_of<Number>(0)), rounded<Number>(1.0f));
}

// A number below +0 becomes +0; a NaN stays.
template <class Number>
constexpr Number rectified(Number x) {
  return is_nan(x) ? canonical_nan<Number>() : larger(x, number_of<Number>(0));
}

// a * b + c, rounded once: the product is exact in double.
template <class Number>
constexpr Number fused(Number a, Number b, Number c) {
  const double product = static_cast<double>(value(a)) * value(b);
  return rounded<Number>(add_to_odd(product, value(c)), Rounding::nearest);
}

}  // namespace kgrade_emulated
