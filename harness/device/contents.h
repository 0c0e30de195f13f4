// What the referee puts into buffers and finds in them, as host and device code see it.
#pragma once

#include <cstdint>

#include "draw/distribution.h"
#include "draw/philox.h"

namespace kgrade {

// What an input holds: elements of a stream, a few of which may be others (draw/distribution.h).
struct InputContents {
  Distribution distribution;
  RandomStream stream;
  InputChanges changes;
};

// What a full comparison of an output with the expected one finds. Elements where both are finite enter the
// sums; any other element must be the same non-finite value (NaN, +inf, -inf) in both. Of a 16-bit type the
// expected value is finite where rounding it to the type gives a finite one, and differences are what
// rounding does not explain (device/element_operations.h).
struct ElementErrors {
  double sum_squared_difference = 0;
  double sum_squared_expected = 0;
  double max_abs_difference = 0;
  std::uint64_t worst_index = 0;  // where it is
  std::uint64_t nonfinite_mismatches = 0;
  std::uint64_t first_nonfinite_mismatch = 0;
  std::uint64_t compared = 0;  // elements that entered the sums
};

}  // namespace kgrade
