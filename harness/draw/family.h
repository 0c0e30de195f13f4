// Families of inputs: contents that the grader makes of an input beside its own distribution, from the same
// random words. A short cut that is right on independent elements of one distribution, such as counters of 8
// bits or a maximum that begins at -1, is wrong on one of them. Elements stay values of the distribution,
// except in the families of real numbers. For host and device code.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/compiler.h"
#include "base/split_mix.h"

namespace kgrade {

enum class Family : std::int32_t {
  own,         // independent elements: the distribution's own
  one_value,   // all elements are equal
  few_values,  // of 2 to 5 values
  runs,        // of equal neighbours
  sorted,      // each row ascends
  reversed,    // each row descends
  ends,        // each element is the least or the largest of the distribution
  negative,    // real numbers: all are far below 0
  positive,    // real numbers: all are far above 0
  near_equal,  // real numbers: they differ by a thousandth
  cycle,       // of a graph: each node has an edge to the next one alone
  star,        // edges from and to one node alone
  dense        // there is an edge between any two nodes
};

// A family of one tensor.
struct Variation {
  Family family = Family::own;
  std::uint32_t key = 0;  // random
  std::uint64_t row = 1;  // elements of a row, along the last axis
};

namespace detail {

// A random word whose distribution's quantile rises with `rank`, which is below `count`.
KGRADE_HOST_DEVICE inline std::uint32_t ranked_word(std::uint32_t word, std::uint64_t rank,
                                                    std::uint64_t count) {
  return static_cast<std::uint32_t>((rank << 32 | word) / count);
}

}  // namespace detail

// The place whose random word an element has.
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

// The word that takes the place of a random word. Words are quantiles: the least word gives the least
// element.
KGRADE_HOST_DEVICE inline std::uint32_t varied_word(const Variation& variation, std::uint32_t word,
                                                    std::uint64_t place) {
  const std::uint64_t column = place % variation.row;
  switch (variation.family) {
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

// Whether a graph of that many nodes has the edge from node `from` to node `to`.
KGRADE_HOST_DEVICE inline bool has_edge(const Variation& variation, std::uint64_t from, std::uint64_t to,
                                        std::uint64_t nodes) {
  switch (variation.family) {
    case Family::cycle:
      return variation.key % 2 == 0 ? to == (from + 1) % nodes : from == (to + 1) % nodes;
    case Family::star:
      return from == variation.key % nodes || to == variation.key % nodes;
    default:
      return true;
  }
}

constexpr bool is_of_graphs(Family family) {
  return family == Family::cycle || family == Family::star || family == Family::dense;
}

// The real number that takes the place of a drawn one. A type of few bits may not hold it.
template <class Real>
KGRADE_HOST_DEVICE inline Real varied_number(const Variation& variation, Real value) {
  switch (variation.family) {
    case Family::negative:
      return -64 - std::fabs(value);
    case Family::positive:
      return 64 + std::fabs(value);
    case Family::near_equal: {
      // 2^-12 of the number beside one from -4 to 4.
      const Real middle = static_cast<Real>(1 + variation.key % 4);
      return (variation.key / 4 % 2 == 0 ? middle : -middle) + value / 4096;
    }
    default:
      return value;
  }
}

}  // namespace kgrade
