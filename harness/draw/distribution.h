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

inline constexpr unsigned int max_choices = 8;

// The largest weight of an edge; the least is 1. Sums of so small integers are exact in float32 on all paths that fit
// into memory.
inline constexpr double largest_edge_weight = 100;

struct Distribution {
  enum class Kind : std::int32_t {
    uniform,
    normal,
    integers,
    constant,
    choice,
    bernoulli,
    adjacency,
    listed,
    wide_integers  // of which a float does not hold all
  };
  // Of the matrices in the last two axes. What lies on the other side of the diagonal is a mirror image or zero.
  enum class Structure : std::int32_t { none, symmetric, upper, lower };
  Kind kind = Kind::uniform;
  double first = 0;              // lo, mean, lo, value, -, probability of 1, probability of an edge
  double second = 1;             // hi, standard deviation, hi (included), -, -, -, what stands for no edge
  Dtype dtype = Dtype::float32;  // what the elements are values of
  Structure structure = Structure::none;
  std::uint32_t columns = 1;       // of structures and of adjacency: the matrices are square
  std::uint32_t count = 0;         // of choices
  double choices[max_choices] = {};  // that are equally likely; of listed: element i is the i-th
  std::int64_t low = 0;   // of wide_integers, both included
  std::int64_t high = 0;
  // What elements are multiplied by: 2^exponent, or powers of two that differ from it by up to `spread`.
  std::int32_t exponent = 0;
  std::int32_t spread = 0;
  bool is_encoded = false;  // elements are bytes that hold codes of what is drawn
  SmallFloat code = SmallFloat::e4m3;
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

// The element that an element is drawn as: itself, or its mirror image. `index` counts through all matrices.
KGRADE_HOST_DEVICE inline std::uint64_t drawn_place(const Distribution& distribution, std::uint64_t index) {
  if (distribution.structure == Distribution::Structure::none) return index;
  const std::uint64_t column = index % distribution.columns;
  const std::uint64_t row = index / distribution.columns % distribution.columns;
  const bool is_below = row > column;
  if (is_below == (distribution.structure == Distribution::Structure::lower)) return index;
  return index - (row * distribution.columns + column) + (column * distribution.columns + row);
}

KGRADE_HOST_DEVICE inline bool is_on_diagonal(const Distribution& distribution, std::uint64_t index) {
  return index % distribution.columns == index / distribution.columns % distribution.columns;
}

// An element of a triangular matrix beside its triangle.
KGRADE_HOST_DEVICE inline bool is_outside(const Distribution& distribution, std::uint64_t index) {
  return distribution.structure != Distribution::Structure::none &&
         distribution.structure != Distribution::Structure::symmetric && drawn_place(distribution, index) != index;
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
    case Distribution::Kind::choice: {
      const std::uint64_t chosen = std::uint64_t{distribution.count} * word >> 32;
      return static_cast<float>(distribution.choices[chosen]);
    }
    case Distribution::Kind::bernoulli:
      return (word >> 8) * two_to_minus_24 < first ? 1.0f : 0.0f;
    case Distribution::Kind::adjacency: {
      // What is left of the word where there is an edge decides its weight.
      const double place = (word >> 8) * two_to_minus_24;
      if (!(place < first)) return static_cast<float>(second);
      return static_cast<float>(1 + floor(place / first * largest_edge_weight));
    }
    case Distribution::Kind::constant:
    case Distribution::Kind::listed:
    case Distribution::Kind::wide_integers:
      break;
  }
  return static_cast<float>(first);
}

}  // namespace detail

// One element from one random word. Of a 16-bit type it is the float32 one rounded to the nearest value that
// is normal or zero, finite, and within the distribution's range; of codes it is the code, which is finite.
KGRADE_HOST_DEVICE inline float sample(const Distribution& distribution, std::uint32_t word) {
  const float value = detail::sample_float32(distribution, word);
  if (distribution.is_encoded) return static_cast<float>(encode(distribution.code, value));
  const Dtype dtype = distribution.dtype;
  if (dtype == Dtype::float32 || is_integer(dtype)) return value;
  switch (distribution.kind) {
    case Distribution::Kind::uniform:
      return nearest_normal_within(dtype, value, distribution.first, distribution.second, false);
    case Distribution::Kind::integers:
      return nearest_normal_within(dtype, value, distribution.first, distribution.second, true);
    default:
      return nearest_normal(dtype, value);
  }
}

// Of a tensor with a spread, so many neighbours have the same power of two.
inline constexpr std::uint64_t scaled_together = 32;

// What the element of a drawn_place() is multiplied by, which is exact: reading a problem keeps the result
// away from the ends of the type's range (problem/read_scale.cc). The same in every draw: what an output
// usually is depends on it.
KGRADE_HOST_DEVICE inline float scale_at(const Distribution& distribution, std::uint64_t place) {
  std::int32_t exponent = distribution.exponent;
  if (distribution.spread > 0) {
    // The finalizer of SplitMix64, as in problem/hidden_cases.cc.
    std::uint64_t bits = place / scaled_together + 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    bits ^= bits >> 31;
    exponent += static_cast<std::int32_t>(bits % (2 * static_cast<std::uint32_t>(distribution.spread) + 1)) -
                distribution.spread;
  }
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// Element `index` of an input whose numbers are no wider than a float's; `block` is that of its drawn_place().
KGRADE_HOST_DEVICE inline float element(const Distribution& distribution, const PhiloxBlock& block,
                                        std::uint64_t index) {
  if (is_outside(distribution, index)) return 0;
  if (distribution.kind == Distribution::Kind::adjacency && is_on_diagonal(distribution, index)) return 0;
  const std::uint64_t place = drawn_place(distribution, index);
  return sample(distribution, block.word[place % 4]) * scale_at(distribution, place);
}

namespace detail {

// The upper 64 bits of a product of two, in parts that every compiler has.
KGRADE_HOST_DEVICE inline std::uint64_t upper_half_of_product(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xFFFFFFFFu;
  const std::uint64_t a1 = a >> 32;
  const std::uint64_t b0 = b & 0xFFFFFFFFu;
  const std::uint64_t b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const std::uint64_t other = a0 * b1 + (middle & 0xFFFFFFFFu);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

}  // namespace detail

// Whether elements are numbers that a float need not hold: they come from whole_number(), all others from element().
KGRADE_HOST_DEVICE inline bool has_whole_numbers(const Distribution& distribution) {
  return distribution.kind == Distribution::Kind::listed || distribution.kind == Distribution::Kind::wide_integers;
}

// From 64 random bits, half of them of a part of the stream that nothing else is drawn from.
KGRADE_HOST_DEVICE inline std::int64_t wide_integer(const Distribution& distribution, const RandomStream& stream,
                                                    std::uint64_t word) {
  constexpr std::uint64_t other_part = std::uint64_t{1} << 63;
  const std::uint64_t random = std::uint64_t{random_block(stream, word / 4).word[word % 4]} << 32 |
                               random_block(stream, word / 4 | other_part).word[word % 4];
  const std::uint64_t low = static_cast<std::uint64_t>(distribution.low);
  const std::uint64_t span = static_cast<std::uint64_t>(distribution.high) - low + 1;  // 0: all that there are
  return static_cast<std::int64_t>(low + (span == 0 ? random : detail::upper_half_of_product(random, span)));
}

// Element `index` of an input that has_whole_numbers().
KGRADE_HOST_DEVICE inline std::int64_t whole_number(const Distribution& distribution, const RandomStream& stream,
                                                    std::uint64_t index) {
  if (distribution.kind == Distribution::Kind::listed) return static_cast<std::int64_t>(distribution.choices[index]);
  if (is_outside(distribution, index)) return 0;
  return wide_integer(distribution, stream, drawn_place(distribution, index));
}

inline constexpr unsigned int max_input_changes = 8;

// A few elements of an input that differ from what its stream gives: contents that agree with those of the
// call before everywhere but in unpredictable places. A position is a drawn_place(): its mirror image changes too.
struct InputChanges {
  unsigned int count = 0;
  std::uint64_t position[max_input_changes] = {};
  float value[max_input_changes] = {};
  std::int64_t whole_number[max_input_changes] = {};  // in its place, of an input that has them
};

// Up to `most` different elements of an input of `elements`, each with a value of the same distribution that
// is not the one it has (in a constant input, or on the diagonal of a graph, no such value exists: it stays as it
// is). Positions and values come from `source`.
InputChanges draw_changes(const Distribution& distribution, const RandomStream& stream,
                          std::uint64_t elements, const RandomStream& source,
                          unsigned int most = max_input_changes);

}  // namespace kgrade
