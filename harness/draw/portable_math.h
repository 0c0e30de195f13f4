// Functions that give the same bits on a CPU and a GPU: every step is an IEEE operation (see
// draw/distribution.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/compiler.h"

namespace kgrade {

namespace detail {

// log(x) for normal x > 0 by x = m * 2^e with m near 1 and log m = 2 artanh((m - 1) / (m + 1)). The math
// libraries of host and device may differ in the last bit; this function cannot. Relative error below 1e-15.
KGRADE_HOST_DEVICE inline double portable_log(double x) {
  std::uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
  double mantissa;
  memcpy(&mantissa, &bits, sizeof mantissa);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    exponent += 1;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  const double s2 = s * s;
  double series = 0;
  for (int k = 21; k >= 1; k -= 2) series = series * s2 + 1.0 / k;
  return exponent * 0.6931471805599453 + 2 * s * series;
}

}  // namespace detail

// The standard normal quantile of p in (1e-11, 1 - 1e-11): algorithm PPND7 of M. Wichura, "Algorithm AS 241:
// The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988); accurate to about 1e-7.
KGRADE_HOST_DEVICE inline double portable_normal_quantile(double p) {
  const double q = p - 0.5;
  double numerator;
  double denominator;
  if (q <= 0.425 && q >= -0.425) {
    const double r = 0.180625 - q * q;
    numerator = q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179);
    denominator = ((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1;
  } else {
    const double tail = q < 0 ? p : 1 - p;
    const double r = sqrt(-detail::portable_log(tail)) - 1.6;
    const double size = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777;
    numerator = q < 0 ? -size : size;
    denominator = (0.12021132975 * r + 0.73700164250) * r + 1;
  }
  return numerator / denominator;  // threads of a warp that took different branches divide together
}

}  // namespace kgrade
