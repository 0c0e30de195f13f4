// What the referee puts into buffers and finds in them, as host and device code see it.
#pragma once

#include <cstdint>
#include <limits>

#include "draw/distribution.h"
#include "draw/philox.h"

namespace kgrade {

// What an input holds: elements of a stream, a few of which may be others (draw/distribution.h).
struct InputContents {
  Distribution distribution;
  RandomStream stream;
  InputChanges changes;
};

// An output of indices into another tensor, along one axis: two are as good as each other where the values
// that they point to are the same. `values` has `extent` elements along that axis, and its axes after that
// `inner` together; the output has `chosen` indices there, and is otherwise of the same shape.
struct TiedValues {
  const unsigned char* values = nullptr;  // none: every index counts as it is
  Dtype dtype = Dtype::float32;           // of the values
  std::uint64_t extent = 1;
  std::uint64_t inner = 1;
  std::uint64_t chosen = 1;
};

// An output of codes that stand for the elements of another tensor, in rows: each block of `block` of them
// has a scale. An element is its code's number times its scale's, divided by `divisor`. Of e2m1 two codes are
// a byte, the first in its lower half. Scales lie row by row; swizzled ones in tiles of 128 rows and 4
// columns, as cuBLAS has them ("1D Block Scaling Factors Layout" of its documentation).
struct Quantised {
  const unsigned char* values = nullptr;  // what is encoded; none: the output holds no codes
  Dtype dtype = Dtype::float32;           // of the values
  const unsigned char* scales = nullptr;  // of the codes that are compared
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

// How large the elements of an expected output are (verify/expected_scales.h finds it out). Elements whose
// value is common, such as the zeros of a ReLU or the -1e9 of a mask, do not count as elements that vary.
struct Magnitudes {
  // At least three quarters of the elements that vary are no larger than this, in absolute value.
  double smaller_limit = std::numeric_limits<double>::infinity();
  double rms = 0;  // the root mean square of the elements that vary
  unsigned int common_count = 0;
  double common[most_common_values] = {};
};

// The sums over a set of elements.
struct SetErrors {
  double squared_difference = 0;
  double squared_expected = 0;
  std::uint64_t elements = 0;
};

// What a full comparison of an output with the expected one finds. Elements where both are finite enter the
// sums; any other element must be the same non-finite value (NaN, +inf, -inf) in both. A difference that no
// normal float holds (below 2^-126) counts as none: kernels may flush such numbers to zero. Of a 16-bit type
// the expected value is finite where rounding it to the type gives a finite one, and differences are what
// rounding does not explain (device/element_operations.h). Of an integer type differences are 1 at least,
// also where doubles do not show them, and there is none between indices of the same value. Of codes, what is
// compared is the distance of each number that they stand for from the value itself: the squares are how much
// larger its square is than that of the expected number, which may be less than nothing, and are held against
// the squares of the values.
struct ElementErrors {
  double sum_squared_difference = 0;
  double sum_squared_expected = 0;
  SetErrors varying;  // the elements whose value is not common
  SetErrors smaller;  // those of them that are at most Magnitudes::smaller_limit in size
  double max_abs_difference = 0;
  // The largest difference of a single element, in units of that element's own size or of the root mean
  // square of its set (all that vary, or the smaller ones), whichever is larger.
  double max_scaled_difference = 0;
  std::uint64_t worst_index = 0;  // the element with the largest scaled difference
  std::uint64_t lost = 0;         // elements that vary and are off by half of their size or more
  std::uint64_t nonfinite_mismatches = 0;
  std::uint64_t first_nonfinite_mismatch = 0;
  std::uint64_t compared = 0;  // elements that entered the sums
};

}  // namespace kgrade
