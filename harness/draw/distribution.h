// From random words to the elements of an input. Every step is an IEEE operation that rounds the same way
// on every machine; translation units that include this header are compiled without contraction
// (-ffp-contract=off, -fmad=false), so a CPU and a GPU give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"
#include "draw/philox.h"

namespace kgrade {

struct Distribution {
  enum class Kind : std::int32_t { uniform, normal, integers, constant };
  Kind kind = Kind::uniform;
  double first = 0;              // lo, mean, lo, value
  double second = 1;             // hi, standard deviation, hi (included)
  Dtype dtype = Dtype::float32;  // what the elements are values of
};

namespace detail {

// log(x) for normal x > 0 by x = m * 2^e with m near 1 and log m = 2 artanh((m - 1) / (m + 1)); the math
// libraries of host and device may differ in the last bit, this cannot. Relative error below 1e-15.
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
  if (q <= 0.425 && q >= -0.425) {
    const double r = 0.180625 - q * q;
    return q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
           (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  const double tail = q < 0 ? p : 1 - p;
  const double r = sqrt(-detail::portable_log(tail)) - 1.6;
  const double value = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777) /
                       ((0.12021132975 * r + 0.73700164250) * r + 1);
  return q < 0 ? -value : value;
}

namespace detail {

KGRADE_HOST_DEVICE inline float sample_float32(const Distribution& distribution, std::uint32_t word) {
  constexpr double two_to_minus_24 = 1.0 / 16777216.0;
  const double first = distribution.first;
  const double second = distribution.second;
  switch (distribution.kind) {
    case Distribution::Kind::uniform: {
      // Rounding to float can reach the excluded upper end, with a chance of 2^-25: take the lower end then.
      const float value = static_cast<float>(first + (second - first) * ((word >> 8) * two_to_minus_24));
      return value < static_cast<float>(second) ? value : static_cast<float>(first);
    }
    case Distribution::Kind::normal:
      return static_cast<float>(first +
                                second * portable_normal_quantile(((word >> 8) + 0.5) * two_to_minus_24));
    case Distribution::Kind::integers: {
      const std::uint64_t span = static_cast<std::uint64_t>(second - first) + 1;
      return static_cast<float>(first + static_cast<double>(span * word >> 32));
    }
    case Distribution::Kind::constant:
      break;
  }
  return static_cast<float>(first);
}

}  // namespace detail

// One element from one random word. Of a 16-bit type it is the float32 one rounded to the nearest value that
// is normal or zero, finite, and within the distribution's range.
KGRADE_HOST_DEVICE inline float sample(const Distribution& distribution, std::uint32_t word) {
  const float value = detail::sample_float32(distribution, word);
  const Dtype dtype = distribution.dtype;
  if (dtype == Dtype::float32 || is_integer(dtype)) return value;
  switch (distribution.kind) {
    case Distribution::Kind::uniform:
      return nearest_normal_within(dtype, value, distribution.first, distribution.second, false);
    case Distribution::Kind::integers:
      return nearest_normal_within(dtype, value, distribution.first, distribution.second, true);
    case Distribution::Kind::normal:
    case Distribution::Kind::constant:
      break;
  }
  return nearest_normal(dtype, value);
}

// Element `index` of an input drawn from `stream`.
KGRADE_HOST_DEVICE inline float element(const Distribution& distribution, const PhiloxBlock& block,
                                        std::uint64_t index) {
  return sample(distribution, block.word[index % 4]);
}

inline constexpr unsigned int max_input_changes = 8;

// A few elements of an input that differ from what its stream gives: contents that agree with those of the
// call before everywhere but in unpredictable places.
struct InputChanges {
  unsigned int count = 0;
  std::uint64_t position[max_input_changes] = {};
  float value[max_input_changes] = {};
};

// Up to `most` different elements of an input of `elements`, each with a value of the same distribution that
// is not the one it has (in a constant input no such value exists: it stays as it is). Positions and values
// come from `source`.
InputChanges draw_changes(const Distribution& distribution, const RandomStream& stream,
                          std::uint64_t elements, const RandomStream& source,
                          unsigned int most = max_input_changes);

}  // namespace kgrade
