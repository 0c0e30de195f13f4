// Arithmetic on a type of 16 bits, __half or __nv_bfloat16; a type names its format.
//
// Float has more than twice the bits of either and two: the float result of + - * / and sqrt, rounded again,
// is the correctly rounded result (Figueroa, "When is double rounding innocuous?", 1995). That does not hold
// for a fused multiply-add.
#pragma once

#include "kgrade_emulated/low_precision_rounding.h"

namespace kgrade_emulated {

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

// What is below +0 becomes +0; a NaN stays.
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
