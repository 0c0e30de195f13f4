// The ways in which the elements of an input come about. A problem's file states one as `init`, a case
// resolves it to numbers, and the host and the GPU draw from it.
#pragma once

#include <cstdint>

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
  wide_integers,  // only in a case: `integers` of which a float does not hold all
  computed        // not drawn: the problem's file or reference writes the input
};

// The structure of the matrices in the last two axes. The other side of the diagonal is a mirror image
// (symmetric) or zero (upper, lower).
enum class MatrixStructure : std::int32_t { none, symmetric, upper, lower };

}  // namespace kgrade
