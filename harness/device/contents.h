// The data that the referee puts into buffers, and its findings about outputs, for host and device code.
#pragma once

#include <cstdint>
#include <limits>

#include "draw/distribution.h"
#include "draw/philox.h"

namespace kgrade {

// The contents of an input: elements of a stream, a few of which may be changed (draw/distribution.h).
struct InputContents {
  Distribution distribution;
  RandomStream stream;
  InputChanges changes;
};

// How an output of indices points into another tensor, along one axis. Two indices are equally good if the
// values that they point to are the same. `values` has `extent` elements along the axis, and `inner` elements
// in all axes after it. The output has `chosen` indices along the axis, and otherwise the same shape.
// `are_distinct`: the indices along the axis must differ from each other.
struct TiedValues {
  const unsigned char* values = nullptr;  // null: only the expected index counts
  Dtype dtype = Dtype::float32;           // of the values
  std::uint64_t extent = 1;
  std::uint64_t inner = 1;
  std::uint64_t chosen = 1;
  bool are_distinct = false;
};

// How an output of codes stands for the elements of another tensor, in rows. Each block of `block` codes has
// a scale. An element is its code's number times its scale's, divided by `divisor`. Two e2m1 codes share a
// byte, with the first code in the lower half. Scales lie row by row; swizzled scales lie in tiles of 128
// rows and 4 columns, as in cuBLAS ("1D Block Scaling Factors Layout" of its documentation).
struct Quantised {
  const unsigned char* values = nullptr;  // the encoded values; null: the output holds no codes
  Dtype dtype = Dtype::float32;           // of the values
  const unsigned char* scales = nullptr;  // of the actual codes
  const unsigned char* expected_scales = nullptr;
  SmallFloat code = SmallFloat::e2m1;
  SmallFloat scale_code = SmallFloat::e8m0;
  std::uint32_t block = 1;
  bool is_swizzled = false;
  std::uint64_t columns = 1;  // of the values
  double divisor = 1;
};

// The most values of an output that Magnitudes::common holds.
constexpr unsigned int most_common_values = 8;

// The most slices that an output has along an axis (Slices).
constexpr unsigned int most_slices = 64;

// The slices of an output along one axis, if their sizes differ so much that large slices would hide errors
// in small ones.
struct Slices {
  unsigned int count = 0;        // along the axis; 0: slices are not judged separately
  std::uint64_t inner = 1;       // elements in all axes after it
  double rms[most_slices] = {};  // the root mean square of each slice; 0 for a slice of zeros
};

// The sizes of the elements of an expected output, as verify/expected_scales.h finds them. Elements with a
// common value, such as the zeros of a ReLU or the -1e9 of a mask, do not count as varying.
struct Magnitudes {
  // At least three quarters of the varying elements are no larger than this, in absolute value.
  double smaller_limit = std::numeric_limits<double>::infinity();
  double rms = 0;  // the root mean square of the elements that vary
  unsigned int common_count = 0;
  unsigned int fixed_count = 0;  // this many of the common values, the first ones, occur for other inputs too
  double common[most_common_values] = {};
  Slices slices = {};
};

// The sums over a set of elements.
struct SetErrors {
  double squared_difference = 0;
  double squared_expected = 0;
  std::uint64_t elements = 0;
};

// The result of a full comparison of an output with the expected output. Elements that are finite in both
// outputs enter the sums. Any other element must be the same non-finite value (NaN, +inf, -inf) in both
// outputs. A difference that no normal float holds (below 2^-126) counts as none: kernels may flush such
// numbers to zero. For a 16-bit type, the expected value is finite if rounding it to the type gives a finite
// value, and a difference is the part that rounding does not explain (device/element_errors.h). For an
// integer type, a difference is at least 1, even if both integers are the same double. Indices of the same
// value do not differ.
//
// For codes, the distance of each number from the encoded value is compared. The squared difference is the
// square of the actual number's distance, minus the square of the expected number's distance. It may be
// negative. The sum of squared differences is compared with the sum of the squared values.
struct ElementErrors {
  double sum_squared_difference = 0;
  double sum_squared_expected = 0;
  SetErrors varying;  // the elements whose value is not common
  SetErrors smaller;  // varying elements up to Magnitudes::smaller_limit in size
  double common = 0;  // the sum of device::common_error() over the elements that do not vary
  double max_abs_difference = 0;
  // The largest difference of a single element, in units of the element's own size or of the root mean square
  // of its set (all varying elements, or the smaller elements), whichever is larger.
  double max_scaled_difference = 0;
  std::uint64_t worst_index = 0;  // the element with the largest scaled difference
  // The largest difference in units of the element's own size or of the root mean square of its slice
  // (Magnitudes::slices), whichever is larger. 0 if slices are not judged separately.
  double max_difference_in_slice = 0;
  std::uint64_t worst_index_in_slice = 0;
  std::uint64_t lost = 0;  // varying elements that are wrong by half of their size, not by a rounding
  std::uint64_t nonfinite_mismatches = 0;
  std::uint64_t first_nonfinite_mismatch = 0;
  std::uint64_t compared = 0;  // elements that entered the sums
};

// What the rule of a problem's set (SetRule in problem/problem.h) finds in an output.
struct RuleCount {
  std::uint64_t elements = 0;
  std::uint64_t failed = 0;  // elements that do not pass
  // The largest |actual - expected| of an element. Infinite if an element is NaN in either output, or if only
  // one of the two outputs is finite there.
  double largest_error = 0;
};

}  // namespace kgrade
