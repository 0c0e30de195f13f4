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

// What a full comparison of an output with the expected one finds. Elements where both are finite enter the
// sums; any other element must be the same non-finite value (NaN, +inf, -inf) in both. Of a 16-bit type the
// expected value is finite where rounding it to the type gives a finite one, and differences are what
// rounding does not explain (device/element_operations.h). Of an integer type differences are 1 at least,
// also where doubles do not show them, and there is none between indices of the same value. Of codes, what is
// compared is the distance of each number that they stand for from the value itself: the squares are how much
// larger its square is than that of the expected number, which may be less than nothing, and are held against
// the squares of the values.
struct ElementErrors {
  double sum_squared_difference = 0;
  double sum_squared_expected = 0;
  double max_abs_difference = 0;
  // The same of the elements that are off by more than a little of their own size (relative_allowance in
  // device/element_operations.h).
  double max_outstanding_difference = 0;
  std::uint64_t worst_index = 0;  // where that is, or the other where none stands out
  std::uint64_t nonfinite_mismatches = 0;
  std::uint64_t first_nonfinite_mismatch = 0;
  std::uint64_t compared = 0;  // elements that entered the sums
};

}  // namespace kgrade
