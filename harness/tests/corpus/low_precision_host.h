// The formats of 16 and 8 bits on the host, from their definitions: a number is a sign, an exponent from a
// lowest one on, and a number of significant bits.
#pragma once

#include <cmath>

namespace corpus {

struct Format {
  int precision;        // significant bits, with the leading one
  int lowest_exponent;  // of a normal number
  double largest;
};

inline constexpr Format half_format = {11, -14, 65504.0};
inline constexpr Format bfloat16_format = {8, -126, 0x1.fep127};
inline constexpr Format e4m3_format = {4, -6, 448.0};
inline constexpr Format e5m2_format = {3, -14, 57344.0};

// How far apart numbers of the size of x are.
inline double unit_of(double x, const Format& format) {
  int exponent = x == 0.0 ? format.lowest_exponent : std::ilogb(x);
  if (exponent < format.lowest_exponent) exponent = format.lowest_exponent;
  return std::ldexp(1.0, exponent - format.precision + 1);
}

// To nearest, ties to even; beyond the largest number an infinity.
inline double round_to(const Format& format, double x) {
  if (x == 0.0 || !std::isfinite(x)) return x;
  const double unit = unit_of(x, format), rounded = std::nearbyint(x / unit) * unit;
  return std::fabs(rounded) > format.largest ? std::copysign(INFINITY, x) : std::copysign(rounded, x);
}

// How numbers that the format holds are stored; a NaN as all bits but the sign.
inline unsigned int code_of(const Format& format, double x, int total_bits) {
  const unsigned int sign = std::signbit(x) ? 1u << (total_bits - 1) : 0u;
  if (std::isnan(x)) return (1u << (total_bits - 1)) - 1;
  const int mantissa_bits = format.precision - 1;
  if (std::isinf(x)) return sign | ((1u << (total_bits - 1)) - (1u << mantissa_bits));
  const double unit = unit_of(x, format);
  const int exponent = std::ilogb(unit) + mantissa_bits - format.lowest_exponent;  // 0: denormal or lowest
  return sign | (static_cast<unsigned int>(exponent) * (1u << mantissa_bits) +
                 static_cast<unsigned int>(std::fabs(x) / unit));
}

inline unsigned short half_bits(double x) {
  return static_cast<unsigned short>(code_of(half_format, round_to(half_format, x), 16));
}
inline unsigned short bfloat16_bits(double x) {
  return static_cast<unsigned short>(code_of(bfloat16_format, round_to(bfloat16_format, x), 16));
}

}  // namespace corpus
