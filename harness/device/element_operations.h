// What the referee does to one block of four elements of an input, or to one element of an output, written
// once for host and device. A block is 16 bytes of a random stream: elements 4b to 4b+3 of an input, whatever
// their type.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/contents.h"

namespace kgrade::device {

struct InputRange {
  std::uint64_t elements;
  InputContents contents;
  Dtype dtype = Dtype::float32;  // how they are stored, which may be wider than what they are values of
  // What they are copies of, where they are not drawn, and how that is stored; null: they are drawn.
  const unsigned char* source = nullptr;
  Dtype source_dtype = Dtype::float32;
};

// By bits, since a compiler may assume that there are no NaNs where fast math is on.
KGRADE_HOST_DEVICE inline bool is_finite(float value) {
  return (bits_of(value) & 0x7F800000u) != 0x7F800000u;
}

KGRADE_HOST_DEVICE inline bool is_finite(double value) {
  constexpr std::int64_t exponent = 0x7FF0000000000000;
  return (double_bits(value) & exponent) != exponent;
}

KGRADE_HOST_DEVICE inline bool is_nan(double value) { return !is_finite(value) && value != value; }

// Of a copy. In a 16-bit type finite ones are rounded as draws are (sample() in draw/distribution.h).
KGRADE_HOST_DEVICE inline float copied_value(const InputRange& range, std::uint64_t index) {
  const float value = load_element(range.source_dtype, range.source, index);
  const Dtype dtype = range.contents.distribution.dtype;
  if (!is_narrow(dtype)) return value;
  return is_finite(value) ? nearest_normal(dtype, value) : rounded_to(dtype, value);
}

// The bits of an element, whatever it stands for.
KGRADE_HOST_DEVICE inline std::uint64_t load_bits(const unsigned char* tensor, std::uint64_t index,
                                                  std::uint64_t bytes) {
  if (bytes == 4) return reinterpret_cast<const std::uint32_t*>(tensor)[index];
  if (bytes == 2) return reinterpret_cast<const std::uint16_t*>(tensor)[index];
  return bytes == 8 ? reinterpret_cast<const std::uint64_t*>(tensor)[index] : tensor[index];
}

// What an element of a copy is stored as: the bits of its source, but where a floating type is another one.
KGRADE_HOST_DEVICE inline std::uint64_t copied_bits(const InputRange& range, std::uint64_t index) {
  if (range.source_dtype == range.dtype && range.contents.distribution.dtype == range.dtype)
    return load_bits(range.source, index, element_bytes(range.dtype));
  const float value = copied_value(range, index);
  return range.dtype == Dtype::float32 ? bits_of(value) : encode(range.dtype, value);
}

// Elements 4 * block to 4 * block + 3 as they should be.
struct FourElements {
  float value[4];
};

// Element `index` of rows, and of matrices with a structure, which may be drawn in another block.
KGRADE_HOST_DEVICE inline float structured_element(const InputContents& contents, std::uint64_t index) {
  if (is_outside(contents.distribution, index)) return 0;
  const std::uint64_t place = drawn_place(contents.distribution, index);
  float value = element(contents.distribution, contents.stream, index);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    if (contents.changes.position[k] == place) value = contents.changes.value[k];
  }
  return value;
}

KGRADE_HOST_DEVICE inline FourElements input_block(const InputContents& contents, std::uint64_t block) {
  FourElements four;
  if (is_of_rows(contents.distribution) || is_of_matrices(contents.distribution)) {
    for (unsigned int i = 0; i < 4; ++i) four.value[i] = structured_element(contents, 4 * block + i);
    return four;
  }
  const PhiloxBlock random = random_block(contents.stream, block);
  for (unsigned int i = 0; i < 4; ++i) four.value[i] = element(contents.distribution, random, 4 * block + i);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    const std::uint64_t position = contents.changes.position[k];
    if (position / 4 == block) four.value[position % 4] = contents.changes.value[k];
  }
  return four;
}

// Element `index` of an input whose numbers a float need not hold.
KGRADE_HOST_DEVICE inline std::int64_t wide_element(const InputContents& contents, std::uint64_t index) {
  const Distribution& distribution = contents.distribution;
  if (!is_outside(distribution, index)) {
    const std::uint64_t place = drawn_place(distribution, index);
    for (unsigned int k = 0; k < contents.changes.count; ++k) {
      if (contents.changes.position[k] == place) return contents.changes.wide[k];
    }
  }
  return wide_element(distribution, contents.stream, index);
}

// Whether elements are what given_bits() says, and not floats that are drawn four at a time.
KGRADE_HOST_DEVICE inline bool has_given_bits(const InputRange& range) {
  return range.source != nullptr || has_wide_elements(range.contents.distribution);
}

KGRADE_HOST_DEVICE inline std::uint64_t given_bits(const InputRange& range, std::uint64_t index) {
  if (range.source != nullptr) return copied_bits(range, index);
  const auto bits = static_cast<std::uint64_t>(wide_element(range.contents, index));
  return bits & ~std::uint64_t{0} >> (64 - 8 * element_bytes(range.dtype));
}

KGRADE_HOST_DEVICE inline void fill_input_block(unsigned char* input, const InputRange& range,
                                                std::uint64_t block) {
  if (has_given_bits(range)) {
    for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i)
      store_integer(range.dtype, input, i, static_cast<std::int64_t>(given_bits(range, i)));
    return;
  }
  const FourElements four = input_block(range.contents, block);
  for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i)
    store_element(range.dtype, input, i, four.value[i % 4]);
}

KGRADE_HOST_DEVICE inline unsigned int changed_elements_in_block(const unsigned char* input,
                                                                 const InputRange& range,
                                                                 std::uint64_t block) {
  unsigned int changed = 0;
  if (has_given_bits(range)) {
    for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i)
      changed += load_bits(input, i, element_bytes(range.dtype)) != given_bits(range, i);
    return changed;
  }
  const FourElements four = input_block(range.contents, block);
  for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i)
    changed += bits_of(four.value[i % 4]) != bits_of(load_element(range.dtype, input, i));
  return changed;
}

// Two values of which at least one is not finite agree when both are NaN or both the same infinity.
KGRADE_HOST_DEVICE inline bool same_nonfinite(double a, double b) {
  return (is_nan(a) && is_nan(b)) || (!is_nan(a) && !is_nan(b) && a == b);
}

// How far a value of the type is from what was expected, both finite. What is expected of a 16-bit type is a
// float32, and all that rounding it once to the type can make of it is as good as the value itself: what
// counts is the distance from the numbers that `actual` is the nearest value of. So a kernel that works in
// float32 and rounds at the end is off by what it is off before it rounds, at most, and by nothing most of
// the time.
KGRADE_HOST_DEVICE inline double difference(double actual, double expected, Dtype dtype) {
  if (!is_narrow(dtype)) return actual - expected;
  if (rounded_to(dtype, expected) == actual) return 0;
  const double next =
      static_cast<double>(neighbour_towards(dtype, static_cast<float>(actual), static_cast<float>(expected)));
  return (actual + next) / 2 - expected;
}

KGRADE_HOST_DEVICE inline bool is_tied(const TiedValues& tied, std::uint64_t index, std::int64_t actual,
                                       std::int64_t expected) {
  const auto extent = static_cast<std::int64_t>(tied.extent);
  if (tied.values == nullptr || actual < 0 || actual >= extent || expected < 0 || expected >= extent)
    return false;
  const std::uint64_t row = index / (tied.inner * tied.chosen) * tied.extent;
  const std::uint64_t chosen = (row + static_cast<std::uint64_t>(actual)) * tied.inner + index % tied.inner;
  const std::uint64_t wanted = (row + static_cast<std::uint64_t>(expected)) * tied.inner + index % tied.inner;
  if (is_integer(tied.dtype))
    return load_integer(tied.dtype, tied.values, chosen) == load_integer(tied.dtype, tied.values, wanted);
  return load_real(tied.dtype, tied.values, chosen) == load_real(tied.dtype, tied.values, wanted);
}

// An output and what it should be. What is expected is stored as the output is, but of a narrow type as
// float32.
struct ComparedOutput {
  const unsigned char* actual = nullptr;
  const unsigned char* expected = nullptr;
  std::uint64_t elements = 0;
  Dtype dtype = Dtype::float32;
  TiedValues tied;
  Quantised quantised;
};

// Of a floating type.
KGRADE_HOST_DEVICE inline double expected_real(const ComparedOutput& output, std::uint64_t index) {
  return load_real(is_narrow(output.dtype) ? Dtype::float32 : output.dtype, output.expected, index);
}

// Where the scale of element `index` of the values is.
KGRADE_HOST_DEVICE inline std::uint64_t place_of_scale(const Quantised& quantised, std::uint64_t index) {
  const std::uint64_t columns = quantised.columns / quantised.block;
  const std::uint64_t row = index / quantised.columns;
  const std::uint64_t column = index % quantised.columns / quantised.block;
  if (!quantised.is_swizzled) return row * columns + column;
  const std::uint64_t tile = row / 128 * ((columns + 3) / 4) + column / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + column % 4;
}

KGRADE_HOST_DEVICE constexpr std::uint64_t codes_per_byte(const Quantised& quantised) {
  return quantised.code == SmallFloat::e2m1 ? 2 : 1;
}

// What element `index` of the values is as a code, which is the one of that number in `byte`.
KGRADE_HOST_DEVICE inline double decoded(const Quantised& quantised, const unsigned char* scales,
                                         std::uint32_t byte, std::uint64_t index) {
  const std::uint32_t code = codes_per_byte(quantised) == 2 && index % 2 == 1 ? byte >> 4 : byte;
  const float scale = decode(quantised.scale_code, scales[place_of_scale(quantised, index)]);
  return static_cast<double>(decode(quantised.code, code)) * static_cast<double>(scale) / quantised.divisor;
}

// An element that is off by less of its own size than this does not stand out, however large it is: 16 times
// the usual threshold of fp32, as other elements may be off by in units of the root mean square. Outputs such
// as softmax and products of thousands of factors have elements thousands of times as large as that, and so
// are their rounding errors; what matters of them is in the norm.
constexpr double relative_allowance = 1.6e-4;

KGRADE_HOST_DEVICE inline void note_difference(ElementErrors& total, double size, bool stands_out,
                                               std::uint64_t index) {
  const double beaten = stands_out || total.max_outstanding_difference > 0 ? total.max_outstanding_difference
                                                                           : total.max_abs_difference;
  if (size > beaten && (stands_out || total.max_outstanding_difference == 0)) total.worst_index = index;
  if (size > total.max_abs_difference) total.max_abs_difference = size;
  if (stands_out && size > total.max_outstanding_difference) total.max_outstanding_difference = size;
}

// How far two codes are from the value that they stand for.
struct CodeDistances {
  double value = 0;
  double actual = 0;
  double expected = 0;
  bool is_finite = true;  // what the actual one stands for
};

KGRADE_HOST_DEVICE inline CodeDistances code_distances(const Quantised& quantised, std::uint32_t actual,
                                                       std::uint32_t expected, std::uint64_t index) {
  CodeDistances distances;
  distances.value = load_real(quantised.dtype, quantised.values, index);
  const double number = decoded(quantised, quantised.scales, actual, index);
  distances.is_finite = is_finite(static_cast<float>(number));
  distances.actual = fabs(number - distances.value);
  distances.expected = fabs(decoded(quantised, quantised.expected_scales, expected, index) - distances.value);
  return distances;
}

// Byte number `index` of an output of codes.
KGRADE_HOST_DEVICE inline void accumulate_codes(ElementErrors& total, const Quantised& quantised,
                                                std::uint32_t actual, std::uint32_t expected,
                                                std::uint64_t index) {
  const std::uint64_t count = codes_per_byte(quantised);
  for (std::uint64_t i = count * index; i < count * (index + 1); ++i) {
    const CodeDistances distances = code_distances(quantised, actual, expected, i);
    if (!distances.is_finite) {
      if (total.nonfinite_mismatches == 0) total.first_nonfinite_mismatch = index;
      total.nonfinite_mismatches += 1;
      continue;
    }
    total.compared += 1;
    total.sum_squared_difference +=
        distances.actual * distances.actual - distances.expected * distances.expected;
    total.sum_squared_expected += distances.value * distances.value;
    note_difference(total, distances.actual - distances.expected, true, index);
  }
}

KGRADE_HOST_DEVICE inline bool has_wrong_code(const ComparedOutput& output, std::uint64_t index,
                                              double limit) {
  const std::uint64_t count = codes_per_byte(output.quantised);
  for (std::uint64_t i = count * index; i < count * (index + 1); ++i) {
    const CodeDistances distances =
        code_distances(output.quantised, output.actual[index], output.expected[index], i);
    if (!distances.is_finite || distances.actual - distances.expected > limit) return true;
  }
  return false;
}

KGRADE_HOST_DEVICE inline void accumulate_integer(ElementErrors& total, std::int64_t actual,
                                                  std::int64_t expected, std::uint64_t index,
                                                  const TiedValues& tied) {
  const double size = static_cast<double>(expected);
  total.compared += 1;
  total.sum_squared_expected += size * size;
  if (actual == expected || is_tied(tied, index, actual, expected)) return;
  // Two neighbours beyond 2^53 are the same double.
  const double apart = fabs(static_cast<double>(actual) - size);
  const double difference = apart > 1 ? apart : 1;
  total.sum_squared_difference += difference * difference;
  note_difference(total, difference, true, index);
}

KGRADE_HOST_DEVICE inline void accumulate(ElementErrors& total, double actual, double expected,
                                          std::uint64_t index, Dtype dtype = Dtype::float32) {
  const double rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) {
    if (same_nonfinite(actual, rounded)) return;
    if (total.nonfinite_mismatches == 0) total.first_nonfinite_mismatch = index;
    total.nonfinite_mismatches += 1;
    return;
  }
  const double difference = device::difference(actual, expected, dtype);
  total.compared += 1;
  total.sum_squared_difference += difference * difference;
  total.sum_squared_expected += expected * expected;
  const double size = fabs(difference);
  note_difference(total, size, size > relative_allowance * fabs(expected), index);
}

// Adds what another part of the same output gave; the smallest index wins where values tie.
KGRADE_HOST_DEVICE inline void merge(ElementErrors& total, const ElementErrors& part) {
  total.sum_squared_difference += part.sum_squared_difference;
  total.sum_squared_expected += part.sum_squared_expected;
  total.compared += part.compared;
  const bool any_stands_out = part.max_outstanding_difference > 0 || total.max_outstanding_difference > 0;
  const double theirs = any_stands_out ? part.max_outstanding_difference : part.max_abs_difference;
  const double ours = any_stands_out ? total.max_outstanding_difference : total.max_abs_difference;
  if (theirs > ours || (theirs == ours && part.worst_index < total.worst_index))
    total.worst_index = part.worst_index;
  total.max_abs_difference = fmax(total.max_abs_difference, part.max_abs_difference);
  total.max_outstanding_difference = fmax(total.max_outstanding_difference, part.max_outstanding_difference);
  if (part.nonfinite_mismatches > 0 &&
      (total.nonfinite_mismatches == 0 || part.first_nonfinite_mismatch < total.first_nonfinite_mismatch)) {
    total.first_nonfinite_mismatch = part.first_nonfinite_mismatch;
  }
  total.nonfinite_mismatches += part.nonfinite_mismatches;
}

KGRADE_HOST_DEVICE inline void accumulate(ElementErrors& total, const ComparedOutput& output,
                                          std::uint64_t index) {
  if (output.quantised.values != nullptr)
    return accumulate_codes(total, output.quantised, output.actual[index], output.expected[index], index);
  if (is_integer(output.dtype)) {
    return accumulate_integer(total, load_integer(output.dtype, output.actual, index),
                              load_integer(output.dtype, output.expected, index), index, output.tied);
  }
  accumulate(total, load_real(output.dtype, output.actual, index), expected_real(output, index), index,
             output.dtype);
}

// A limit of 0 is for outputs that are compared exactly.
KGRADE_HOST_DEVICE inline bool is_wrong(double actual, double expected, double limit, Dtype dtype) {
  const double rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) return !same_nonfinite(actual, rounded);
  const double size = fabs(difference(actual, expected, dtype));
  return !(size <= limit || (limit > 0 && size <= relative_allowance * fabs(expected)));
}

// Integers are wrong wherever they differ.
KGRADE_HOST_DEVICE inline bool is_wrong(const ComparedOutput& output, std::uint64_t index, double limit) {
  if (output.quantised.values != nullptr) return has_wrong_code(output, index, limit);
  if (!is_integer(output.dtype)) {
    return is_wrong(load_real(output.dtype, output.actual, index), expected_real(output, index), limit,
                    output.dtype);
  }
  const std::int64_t actual = load_integer(output.dtype, output.actual, index);
  const std::int64_t expected = load_integer(output.dtype, output.expected, index);
  return actual != expected && !is_tied(output.tied, index, actual, expected);
}

}  // namespace kgrade::device
