// Turns random words into the elements of an input. Every step is an IEEE operation that rounds the same way
// on every machine. Translation units that include this header are compiled without contraction
// (-ffp-contract=off, -fmad=false), so a CPU and a GPU give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/compiler.h"
#include "base/draw_kind.h"
#include "base/dtype.h"
#include "base/split_mix.h"
#include "draw/family.h"
#include "draw/philox.h"

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

inline constexpr unsigned int max_choices = 8;

// The largest weight of an edge; the least is 1. Sums of integers this small are exact in float32 on all
// paths that fit into memory.
inline constexpr double largest_edge_weight = 100;

struct Distribution {
  using Kind = DrawKind;
  using Structure = MatrixStructure;
  Kind kind = Kind::uniform;
  // The parameters of the kind. uniform and integers: the least and the largest value (only integers include
  // the largest). normal: mean and standard deviation. constant: the value. bernoulli: the probability of 1.
  // adjacency: the probability of an edge, and the element that stands for no edge.
  double first = 0;
  double second = 1;
  Dtype dtype = Dtype::float32;  // the type whose values the elements are
  Structure structure = Structure::none;
  std::uint32_t columns = 1;         // of the matrices, which are square
  std::uint32_t count = 0;           // number of choices
  double choices[max_choices] = {};  // equally likely; if listed: element i is choice i
  std::int64_t low = 0;              // wide_integers: the range, both ends included
  std::int64_t high = 0;
  // Elements are multiplied by 2^exponent, or by powers of two that differ from it by up to `spread`.
  std::int32_t exponent = 0;
  std::int32_t spread = 0;
  bool is_encoded = false;  // elements are bytes that hold codes of the drawn numbers
  SmallFloat code = SmallFloat::e4m3;
  Variation variation = {};
};

// The part of a distribution that decides which steps turn a random word into an element. If the compiler
// knows it, it leaves out all other steps.
struct DrawForm {
  Distribution::Kind kind;
  Dtype dtype;
  bool is_encoded;
};

KGRADE_HOST_DEVICE inline DrawForm form_of(const Distribution& distribution) {
  return {distribution.kind, distribution.dtype, distribution.is_encoded};
}

// Whether matrices are symmetric or triangular.
KGRADE_HOST_DEVICE inline bool is_of_matrices(const Distribution& distribution) {
  return distribution.structure != Distribution::Structure::none;
}

// The element from which an element is drawn: itself, or its mirror image. `index` counts through all
// matrices.
KGRADE_HOST_DEVICE inline std::uint64_t drawn_place(const Distribution& distribution, std::uint64_t index) {
  if (!is_of_matrices(distribution)) return index;
  const std::uint64_t column = index % distribution.columns;
  const std::uint64_t row = index / distribution.columns % distribution.columns;
  const bool is_below = row > column;
  if (is_below == (distribution.structure == Distribution::Structure::lower)) return index;
  return index - (row * distribution.columns + column) + (column * distribution.columns + row);
}

// Whether an element is outside the triangle of a triangular matrix.
KGRADE_HOST_DEVICE inline bool is_outside(const Distribution& distribution, std::uint64_t index) {
  return is_of_matrices(distribution) && distribution.structure != Distribution::Structure::symmetric &&
         drawn_place(distribution, index) != index;
}

namespace detail {

// A number from 0 to 1, without 1, with as many bits as a float has, or as a double has.
KGRADE_HOST_DEVICE inline double fraction(std::uint32_t random) { return (random >> 8) / 16777216.0; }
KGRADE_HOST_DEVICE inline double fraction(std::uint64_t random) {
  return static_cast<double>(random >> 11) / 9007199254740992.0;
}

// A number from 0 to 1, without 0 and 1, for quantiles.
KGRADE_HOST_DEVICE inline double inner_fraction(std::uint32_t random) {
  return ((random >> 8) + 0.5) / 16777216.0;
}
KGRADE_HOST_DEVICE inline double inner_fraction(std::uint64_t random) {
  return (static_cast<double>(random >> 28) + 0.5) / 68719476736.0;
}

// A number from 0 to `count` - 1.
KGRADE_HOST_DEVICE inline std::uint64_t number_below(std::uint64_t count, std::uint32_t random) {
  return count * random >> 32;
}
KGRADE_HOST_DEVICE inline std::uint64_t number_below(std::uint64_t count, std::uint64_t random) {
  return number_below(count, static_cast<std::uint32_t>(random >> 32));
}

// One element, as a float from 32 random bits, or as a double from 64.
template <class Real, class Random>
KGRADE_HOST_DEVICE inline Real sample_as(const Distribution& distribution, Distribution::Kind kind,
                                         Random random) {
  const double first = distribution.first;
  const double second = distribution.second;
  switch (kind) {
    case Distribution::Kind::uniform: {
      // Rounding can reach the excluded upper end, for float with a chance of 2^-25. Take the lower end then.
      const auto value = static_cast<Real>(first + (second - first) * fraction(random));
      return value < static_cast<Real>(second) ? value : static_cast<Real>(first);
    }
    case Distribution::Kind::normal:
      return static_cast<Real>(first + second * portable_normal_quantile(inner_fraction(random)));
    case Distribution::Kind::integers: {
      const std::uint64_t span = static_cast<std::uint64_t>(second - first) + 1;
      return static_cast<Real>(first + static_cast<double>(number_below(span, random)));
    }
    case Distribution::Kind::choice:
      return static_cast<Real>(distribution.choices[number_below(distribution.count, random)]);
    case Distribution::Kind::bernoulli:
      return fraction(random) < first ? Real{1} : Real{0};
    case Distribution::Kind::adjacency: {
      // If there is an edge, the remaining bits decide its weight.
      const double place = fraction(random);
      if (!(place < first)) return static_cast<Real>(second);
      return static_cast<Real>(1 + floor(place / first * largest_edge_weight));
    }
    default:
      break;
  }
  return static_cast<Real>(first);
}

// For a type of few bits: the nearest value that is normal or zero, finite, and within the distribution's
// range. For codes: the code, which is finite.
KGRADE_HOST_DEVICE inline float narrowed(const Distribution& distribution, const DrawForm& form,
                                         float value) {
  if (form.is_encoded) return static_cast<float>(encode(distribution.code, value));
  if (!is_narrow(form.dtype)) return value;
  switch (form.kind) {
    case Distribution::Kind::uniform:
      return nearest_normal_within(form.dtype, value, distribution.first, distribution.second, false);
    case Distribution::Kind::integers:
      return nearest_normal_within(form.dtype, value, distribution.first, distribution.second, true);
    default:
      return nearest_normal(form.dtype, value);
  }
}

}  // namespace detail

// One element from one random word. `form` is the distribution's.
KGRADE_HOST_DEVICE inline float sample(const Distribution& distribution, const DrawForm& form,
                                       std::uint32_t word) {
  return detail::narrowed(distribution, form, detail::sample_as<float>(distribution, form.kind, word));
}

KGRADE_HOST_DEVICE inline float sample(const Distribution& distribution, std::uint32_t word) {
  return sample(distribution, form_of(distribution), word);
}

// In a tensor with a spread, this many neighbours have the same power of two.
inline constexpr std::uint64_t scaled_together = 32;

// The factor of the element of a drawn_place(). The multiplication is exact: reading a problem keeps the
// result away from the ends of the type's range (problem/read_scale.cc). The factor is the same in every
// draw, because the usual outputs depend on it.
KGRADE_HOST_DEVICE inline float scale_at(const Distribution& distribution, std::uint64_t place) {
  std::int32_t exponent = distribution.exponent;
  if (distribution.spread > 0) {
    const std::uint64_t bits = mixed(place / scaled_together + golden_gamma);
    exponent += static_cast<std::int32_t>(bits % (2 * static_cast<std::uint32_t>(distribution.spread) + 1)) -
                distribution.spread;
  }
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// Whether an element is 0 in every draw: outside a triangle, and on the diagonal of a graph.
KGRADE_HOST_DEVICE inline bool is_always_zero(const Distribution& distribution, std::uint64_t index) {
  return is_outside(distribution, index) ||
         (distribution.kind == Distribution::Kind::adjacency &&
          index % distribution.columns == index / distribution.columns % distribution.columns);
}

// Whether every element is drawn from its own word and from no other.
KGRADE_HOST_DEVICE inline bool is_drawn_in_place(const Distribution& distribution) {
  return distribution.structure == Distribution::Structure::none &&
         distribution.kind != Distribution::Kind::adjacency && distribution.variation.family == Family::own &&
         distribution.variation.rounding == 0;
}

// The element that a word gives at a drawn_place().
KGRADE_HOST_DEVICE inline float element_at(const Distribution& distribution, const DrawForm& form,
                                           std::uint32_t word, std::uint64_t place) {
  return sample(distribution, form, word) * scale_at(distribution, place);
}

// Element `index` of an input whose numbers are no wider than a float's. `block` is the block of its
// drawn_place().
KGRADE_HOST_DEVICE inline float element(const Distribution& distribution, const PhiloxBlock& block,
                                        std::uint64_t index) {
  if (is_always_zero(distribution, index)) return 0;
  const std::uint64_t place = drawn_place(distribution, index);
  return element_at(distribution, form_of(distribution), block.word[place % 4], place);
}

// The word of the element at a drawn_place(), as the family of the input changes it.
KGRADE_HOST_DEVICE inline std::uint32_t varied_word(const Distribution& distribution,
                                                    const RandomStream& stream, std::uint64_t place) {
  const Variation& variation = distribution.variation;
  const std::uint32_t word = varied_word(variation, random_word(stream, word_place(variation, place)), place);
  if (!is_of_graphs(variation.family)) return word;
  const std::uint64_t nodes = distribution.columns;
  if (!has_edge(variation, place / nodes % nodes, place % nodes, nodes)) return 0xFFFFFFFFu;
  return static_cast<std::uint32_t>(distribution.first * word);
}

KGRADE_HOST_DEVICE inline float element(const Distribution& distribution, const RandomStream& stream,
                                        std::uint64_t index) {
  const Variation& variation = distribution.variation;
  const std::uint64_t place = drawn_place(distribution, index);
  if (variation.family == Family::own && variation.rounding == 0)
    return element(distribution, random_block(stream, place / 4), index);
  const float factor = factor_at(variation, place);
  if (is_always_zero(distribution, index) || factor == 0) return 0;
  const std::uint32_t word = varied_word(distribution, stream, place);
  if (!is_of_reals(variation.family))
    return rounded_once_more(variation, distribution.dtype,
                             element_at(distribution, form_of(distribution), word, place) * factor, place);
  float value =
      varied_number(variation, detail::sample_as<float>(distribution, distribution.kind, word), place);
  if (distribution.is_encoded) return static_cast<float>(encode(distribution.code, value));
  value *= scale_at(distribution, place);
  // A type of eight bits has few normal numbers, so its subnormal numbers are used too.
  if (is_narrow(distribution.dtype))
    value = is_float8(distribution.dtype) ? rounded_to(distribution.dtype, value)
                                          : nearest_normal(distribution.dtype, value);
  return rounded_once_more(variation, distribution.dtype, value, place);
}

namespace detail {

// The upper 64 bits of a product of two 64-bit numbers, for every compiler.
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

// Whether a float may not hold the elements. If so, they come from wide_element(), otherwise from element().
KGRADE_HOST_DEVICE inline bool has_wide_elements(const Distribution& distribution) {
  return distribution.kind == Distribution::Kind::listed ||
         distribution.kind == Distribution::Kind::wide_integers || distribution.dtype == Dtype::float64;
}

namespace detail {

KGRADE_HOST_DEVICE inline std::int64_t integer_from(const Distribution& distribution, std::uint64_t random) {
  const std::uint64_t low = static_cast<std::uint64_t>(distribution.low);
  const std::uint64_t span =
      static_cast<std::uint64_t>(distribution.high) - low + 1;  // 0: all 64-bit integers
  return static_cast<std::int64_t>(low + (span == 0 ? random : upper_half_of_product(random, span)));
}

// 64 random bits. Half of them are from a part of the stream that nothing else uses.
KGRADE_HOST_DEVICE inline std::uint64_t random_bits(const RandomStream& stream, std::uint64_t word) {
  constexpr std::uint64_t other_part = std::uint64_t{1} << 63;
  return std::uint64_t{random_word(stream, word)} << 32 |
         random_block(stream, word / 4 | other_part).word[word % 4];
}

// Like varied_word(), for 64 bits.
KGRADE_HOST_DEVICE inline std::uint64_t varied_bits(const Variation& variation, const RandomStream& stream,
                                                    std::uint64_t place) {
  const std::uint64_t random = random_bits(stream, word_place(variation, place));
  const std::uint64_t upper = varied_word(variation, static_cast<std::uint32_t>(random >> 32), place);
  const std::uint64_t lower = variation.family == Family::ends ? upper : random & 0xFFFFFFFFu;
  return upper << 32 | lower;
}

}  // namespace detail

// The element at a drawn_place() from the 64 bits of place `word`: a whole number, or the bits of a double.
KGRADE_HOST_DEVICE inline std::int64_t wide_sample(const Distribution& distribution,
                                                   const RandomStream& stream, std::uint64_t word,
                                                   std::uint64_t place) {
  const std::uint64_t random = detail::varied_bits(distribution.variation, stream, word);
  if (distribution.dtype != Dtype::float64) return detail::integer_from(distribution, random);
  const double number = detail::sample_as<double>(distribution, distribution.kind, random);
  const double varied =
      varied_number(distribution.variation, number, place) *
      static_cast<double>(scale_at(distribution, place) * factor_at(distribution.variation, place));
  return double_bits(rounded_once_more(distribution.variation, varied, place));
}

// Element `index` of an input that has_wide_elements().
KGRADE_HOST_DEVICE inline std::int64_t wide_element(const Distribution& distribution,
                                                    const RandomStream& stream, std::uint64_t index) {
  if (distribution.kind == Distribution::Kind::listed)
    return static_cast<std::int64_t>(distribution.choices[index]);
  const std::uint64_t place = drawn_place(distribution, index);
  if (is_always_zero(distribution, index) || factor_at(distribution.variation, place) == 0) return 0;
  return wide_sample(distribution, stream, place, place);
}

inline constexpr unsigned int max_input_changes = 8;

// A few elements of an input that differ from its stream. Such contents agree with those of the previous call
// except in unpredictable places. A position is a drawn_place(), so its mirror image changes too.
struct InputChanges {
  unsigned int count = 0;
  std::uint64_t position[max_input_changes] = {};
  float value[max_input_changes] = {};
  std::int64_t wide[max_input_changes] = {};  // used instead of `value` if the input has_wide_elements()
};

// Up to `most` different elements of an input of `elements`. Each gets another value of the same
// distribution. An element that can have no other value (in a constant input, on the diagonal of a graph)
// stays as it is. Positions and values come from `source`.
InputChanges draw_changes(const Distribution& distribution, const RandomStream& stream,
                          std::uint64_t elements, const RandomStream& source,
                          unsigned int most = max_input_changes);

}  // namespace kgrade
