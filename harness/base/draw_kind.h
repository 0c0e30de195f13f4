// The ways in which the elements of an input are made. A problem's file names the way in `init`, a case
// computes its parameters, and the host and the GPU draw elements with these.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/enum_words.h"

namespace kgrade {

enum class DrawKind : std::int32_t {
  uniform,
  normal,
  integers,
  constant,
  choice,
  bernoulli,
  uniform_fan_in,  // only in a file: in a case it is `uniform`
  adjacency,
  listed,         // `values(...)` in a file
  wide_integers,  // only in a case: `integers` with values that a float cannot hold exactly
  computed        // not drawn: the problem's file or reference writes the input
};

// The structure of the matrices in the last two axes. The other side of the diagonal is a mirror image
// (symmetric) or zero (upper, lower).
enum class MatrixStructure : std::int32_t { none, symmetric, upper, lower };

// Families of inputs: contents that the grader gives to an input besides those of its own distribution
// (draw/family.h).
enum class Family : std::int32_t {
  own,           // independent elements of the input's own distribution
  one_value,     // all elements are equal
  few_values,    // there are only 2 to 5 different values
  runs,          // of equal neighbours
  sorted,        // each row ascends
  reversed,      // each row descends
  ends,          // each element is the least or the largest of the distribution
  sparse,        // all but a few elements are small, or 0
  zero_rows,     // half of the rows are 0
  nonnegative,   // of real numbers: none is below 0
  nonpositive,   // of real numbers: none is above 0
  signs,         // of real numbers: the signs are random
  shifted,       // of real numbers: the same number is added to all
  rows_shifted,  // of real numbers: each row has a different number added
  step,          // of real numbers: rows have two levels
  scaled,        // of real numbers: all are multiplied by a power of two
  spikes,        // of real numbers: a few hold a quarter of the sum of squares
  near_equal,    // of real numbers: they differ by a thousandth
  cycle,         // of a graph: each node has an edge to the next one alone
  star,          // edges from and to one node alone
  dense          // there is an edge between any two nodes
};
inline constexpr std::int32_t families_of_inputs = static_cast<std::int32_t>(Family::dense) + 1;

// The names of the families in a problem's file.
template <>
inline constexpr std::array<std::string_view, families_of_inputs> enum_words<Family> = {
    "",       "one_value", "few_values",  "runs",        "sorted", "reversed", "ends",
    "sparse", "zero_rows", "nonnegative", "nonpositive", "signs",  "shifted",  "rows_shifted",
    "step",   "scaled",    "spikes",      "near_equal",  "cycle",  "star",     "dense"};

}  // namespace kgrade
