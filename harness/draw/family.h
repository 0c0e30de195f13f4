// Families of inputs: contents that the grader gives to an input besides those of its own distribution, from
// the same random words. A short cut that is right on independent elements of one distribution, such as
// counters of 8 bits or a maximum that begins at -1, is wrong on at least one family. Elements stay values of
// the distribution, except in the families of real numbers, whose elements stay in the input's domain. For
// host and device code.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/compiler.h"
#include "base/draw_kind.h"
#include "base/dtype.h"
#include "base/split_mix.h"

namespace kgrade {

// A family of one tensor, and how far its elements are moved.
struct Variation {
  Family family = Family::own;
  std::uint32_t key = 0;  // random
  std::uint64_t row = 1;  // elements of a row, along the last axis
  // shifted: the number; rows_shifted and step: the largest one; scaled: the factor; spikes: their size;
  // sparse: the factor of all but a few elements.
  double amount = 0;
  double least_amount = 0;   // of rows_shifted and step
  double chance = 0;         // of an element to be a spike, or to stay as it is in `sparse`
  double least = -HUGE_VAL;  // the domain of real numbers
  double largest = HUGE_VAL;
  // Elements are rounded once more, as a contestant may round its inputs: to this many bits. If they have no
  // more bits than this, some of them are replaced by a neighbour instead. 0: no rounding.
  std::int32_t rounding = 0;
  std::int32_t ulps = 1;      // how far away that neighbour is
  std::uint32_t moved = 1;    // how many of eight elements are replaced, on average
  std::uint32_t rounded = 0;  // how many times such inputs were rounded before
};

namespace detail {

// A random word whose distribution's quantile rises with `rank`, which is below `count`.
KGRADE_HOST_DEVICE inline std::uint32_t ranked_word(std::uint32_t word, std::uint64_t rank,
                                                    std::uint64_t count) {
  return static_cast<std::uint32_t>((rank << 32 | word) / count);
}

// Random bits for an element or a row. Each `purpose` has its own.
KGRADE_HOST_DEVICE inline std::uint64_t bits_at(const Variation& variation, std::uint64_t place,
                                                std::uint32_t purpose) {
  return mixed(mixed(std::uint64_t{variation.key} << 32 | purpose) + place * golden_gamma);
}

KGRADE_HOST_DEVICE inline double fraction_at(const Variation& variation, std::uint64_t place,
                                             std::uint32_t purpose) {
  return static_cast<double>(bits_at(variation, place, purpose) >> 11) / 9007199254740992.0;
}

// Rows of this many elements or more have a spike at their end, which short cuts leave out.
constexpr std::uint64_t long_row = 64;

KGRADE_HOST_DEVICE inline bool is_chosen(const Variation& variation, std::uint64_t place) {
  const bool is_at_end = variation.row >= long_row && place % variation.row == variation.row - 1;
  return is_at_end || fraction_at(variation, place, 0) < variation.chance;
}

KGRADE_HOST_DEVICE inline double sign_at(const Variation& variation, std::uint64_t place) {
  return bits_at(variation, place, 1) % 2 == 0 ? 1 : -1;
}

// Whether an element is before the step of its row. The step is near one of the row's ends, so that sums do
// not cancel. In half of the rows the step goes up.
KGRADE_HOST_DEVICE inline bool is_below_step(const Variation& variation, std::uint64_t place) {
  const std::uint64_t eighths = 1 + variation.key / 2 % 3;
  const std::uint64_t length = variation.row * (variation.key % 2 == 0 ? eighths : 8 - eighths) / 8;
  const bool is_before = place % variation.row < (length > 0 ? length : 1);
  return is_before == (bits_at(variation, place / variation.row, 3) % 2 == 0);
}

}  // namespace detail

// The place from which an element takes its random word.
KGRADE_HOST_DEVICE inline std::uint64_t word_place(const Variation& variation, std::uint64_t place) {
  switch (variation.family) {
    case Family::one_value:
      return 0;
    case Family::few_values:
      return mixed(place + variation.key) % (2 + variation.key % 4);
    case Family::runs:
      return place / (2 + variation.key % 64);
    default:
      return place;
  }
}

// The word that replaces a random word. Words are quantiles: the least word gives the least element.
KGRADE_HOST_DEVICE inline std::uint32_t varied_word(const Variation& variation, std::uint32_t word,
                                                    std::uint64_t place) {
  const std::uint64_t column = place % variation.row;
  switch (variation.family) {
    case Family::few_values:
      return detail::ranked_word(word, word_place(variation, place), 2 + variation.key % 4);
    case Family::sorted:
      return detail::ranked_word(word, column, variation.row);
    case Family::reversed:
      return detail::ranked_word(word, variation.row - 1 - column, variation.row);
    case Family::ends:
      return word >> 31 == 0 ? 0 : 0xFFFFFFFFu;
    default:
      return word;
  }
}

// The most nodes of a cycle in a graph of that many nodes. The limit exists for honest kernels that look at
// all pairs of nodes in each round. They need as many rounds as a path has nodes, and must stay within the
// time limit.
KGRADE_HOST_DEVICE inline std::uint64_t longest_cycle(std::uint64_t nodes) {
  const std::uint64_t rounds = (std::uint64_t{1} << 30) / (nodes * nodes);
  return rounds < 64 ? 64 : rounds;
}

// The node after this one in its cycle. A graph has as many cycles as it needs to contain all nodes.
KGRADE_HOST_DEVICE inline std::uint64_t next_in_cycle(std::uint64_t node, std::uint64_t nodes) {
  const std::uint64_t longest = longest_cycle(nodes);
  return node + 1 < nodes && (node + 1) % longest != 0 ? node + 1 : node - node % longest;
}

// Whether a graph of that many nodes has the edge from node `from` to node `to`.
KGRADE_HOST_DEVICE inline bool has_edge(const Variation& variation, std::uint64_t from, std::uint64_t to,
                                        std::uint64_t nodes) {
  switch (variation.family) {
    case Family::cycle:
      return variation.key % 2 == 0 ? to == next_in_cycle(from, nodes) : from == next_in_cycle(to, nodes);
    case Family::star:
      return from == variation.key % nodes || to == variation.key % nodes;
    default:
      return true;
  }
}

KGRADE_HOST_DEVICE constexpr bool is_of_graphs(Family family) {
  return family == Family::cycle || family == Family::star || family == Family::dense;
}

// Whether elements may leave the distribution.
KGRADE_HOST_DEVICE constexpr bool is_of_reals(Family family) {
  return family >= Family::nonnegative && family <= Family::near_equal;
}

// The factor of an element: 1, 0, or a power of two.
KGRADE_HOST_DEVICE inline float factor_at(const Variation& variation, std::uint64_t place) {
  if (variation.family == Family::sparse)
    return detail::is_chosen(variation, place) ? 1 : static_cast<float>(variation.amount);
  const bool is_zero =
      variation.family == Family::zero_rows && detail::bits_at(variation, place / variation.row, 0) % 2 == 0;
  return is_zero ? 0 : 1;
}

// The real number that replaces a drawn number. A type of few bits may be unable to hold it exactly.
template <class Real>
KGRADE_HOST_DEVICE inline Real varied_number(const Variation& variation, Real value, std::uint64_t place) {
  const Real amount = static_cast<Real>(variation.amount);
  switch (variation.family) {
    case Family::nonnegative:
      return std::fabs(value);
    case Family::nonpositive:
      return -std::fabs(value);
    case Family::signs:
      return value * static_cast<Real>(detail::sign_at(variation, place));
    case Family::shifted:
      value += amount;
      break;
    case Family::rows_shifted:
      value += static_cast<Real>(variation.least_amount +
                                 (variation.amount - variation.least_amount) *
                                     detail::fraction_at(variation, place / variation.row, 0));
      break;
    case Family::step:
      value += detail::is_below_step(variation, place) ? static_cast<Real>(variation.least_amount) : amount;
      break;
    case Family::scaled:
      value *= amount;
      break;
    case Family::spikes:
      if (detail::is_chosen(variation, place))
        value = amount * static_cast<Real>(detail::sign_at(variation, place));
      break;
    case Family::near_equal: {
      // An integer from -4 to 4 except 0, plus 2^-12 of the drawn number.
      const Real middle = static_cast<Real>(1 + variation.key % 4);
      return (variation.key / 4 % 2 == 0 ? middle : -middle) + value / 4096;
    }
    default:
      return value;
  }
  if (value < static_cast<Real>(variation.least)) return static_cast<Real>(variation.least);
  return value > static_cast<Real>(variation.largest) ? static_cast<Real>(variation.largest) : value;
}

namespace detail {

// 1 or -1 for an element that goes to the neighbour above or below it in size, otherwise 0.
KGRADE_HOST_DEVICE inline int direction_at(const Variation& variation, std::uint64_t place) {
  const std::uint64_t random = bits_at(variation, place, 4 + variation.rounded);
  if (random % 8 >= variation.moved) return 0;
  return random / 8 % 2 == 0 ? 1 : -1;
}

}  // namespace detail

// The number as a contestant may have rounded it (Variation::rounding). Of the numbers that are not rounded
// to fewer bits, Variation::moved in eight go to a neighbour in their type. With one in eight, the error is
// that of one rounding.
KGRADE_HOST_DEVICE inline float rounded_once_more(const Variation& variation, Dtype dtype, float value,
                                                  std::uint64_t place) {
  if (variation.rounding == 0 || value == 0) return value;
  const std::int32_t bits_of_type = significant_bits(dtype);
  const std::uint32_t bits = bits_of(value);
  if (variation.rounding < bits_of_type) {
    const std::uint32_t half = std::uint32_t{1} << (23 - variation.rounding);
    return float_of((bits + half) & ~(2 * half - 1));
  }
  const int direction = detail::direction_at(variation, place);
  const std::uint32_t step = static_cast<std::uint32_t>(variation.ulps) << (24 - bits_of_type);
  return float_of(bits + static_cast<std::uint32_t>(direction) * step);
}

KGRADE_HOST_DEVICE inline double rounded_once_more(const Variation& variation, double value,
                                                   std::uint64_t place) {
  if (variation.rounding == 0 || value == 0) return value;
  if (variation.rounding < 53)
    return static_cast<double>(
        rounded_once_more(variation, Dtype::float32, static_cast<float>(value), place));
  return value * (1 + detail::direction_at(variation, place) * variation.ulps * 0x1p-52);
}

}  // namespace kgrade
