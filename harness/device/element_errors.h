// How the referee compares an element of an output with the expected element, and adds up the errors. The
// code is written once for host and device. ElementErrors in device/contents.h says what an error is.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/contents.h"

namespace kgrade::device {

// Two values, at least one of them not finite, agree if both are NaN or both are the same infinity.
KGRADE_HOST_DEVICE inline bool same_nonfinite(double a, double b) {
  return (is_nan(a) && is_nan(b)) || (!is_nan(a) && !is_nan(b) && a == b);
}

// The distance of a value of the type from the expected value. Both are finite. For a 16-bit type the
// expected value is a float32, and any single rounding of it to the type is as good as the value itself. So
// the distance is taken from the numbers that round to `actual`. A kernel that works in float32 and rounds at
// the end differs by at most its error before rounding, and usually not at all.
KGRADE_HOST_DEVICE inline double difference(double actual, double expected, Dtype dtype) {
  if (!is_narrow(dtype)) return actual - expected;
  if (rounded_to(dtype, expected) == actual) return 0;
  const double next =
      static_cast<double>(neighbour_towards(dtype, static_cast<float>(actual), static_cast<float>(expected)));
  return (actual + next) / 2 - expected;
}

// Whether the values at two indices are equal. The indices point into the line of the output's element
// `index`.
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

// An output of integers and the expected output, as functions that return an element. The elements are those
// from number `begin` to before `end`.
template <class Actual, class Expected>
struct IntegerOutputs {
  Actual actual;
  Expected expected;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Whether the index in element `index` occurs in its line once more. Expected indices are in the order of
// their values, so only neighbours with the same expected value have to be searched.
template <class Outputs>
KGRADE_HOST_DEVICE bool is_repeated(const TiedValues& tied, const Outputs& outputs, std::uint64_t index) {
  const std::int64_t actual = outputs.actual(index);
  const std::int64_t expected = outputs.expected(index);
  const std::uint64_t place = index / tied.inner % tied.chosen;
  const std::uint64_t line = index - place * tied.inner;
  const auto is_in_run = [&](std::uint64_t other) {
    return other >= outputs.begin && other < outputs.end &&
           is_tied(tied, index, outputs.expected(other), expected);
  };
  for (std::uint64_t i = place; i-- > 0 && is_in_run(line + i * tied.inner);) {
    if (outputs.actual(line + i * tied.inner) == actual) return true;
  }
  for (std::uint64_t i = place + 1; i < tied.chosen && is_in_run(line + i * tied.inner); ++i) {
    if (outputs.actual(line + i * tied.inner) == actual) return true;
  }
  return false;
}

// Whether an element has the expected index, or another index of an equal value. If an index occurs twice,
// only the element that expects it is right.
template <class Outputs>
KGRADE_HOST_DEVICE bool is_right_integer(const TiedValues& tied, const Outputs& outputs,
                                         std::uint64_t index) {
  const std::int64_t actual = outputs.actual(index);
  const std::int64_t expected = outputs.expected(index);
  return actual == expected || (is_tied(tied, index, actual, expected) &&
                                !(tied.are_distinct && is_repeated(tied, outputs, index)));
}

// The most elements of a tensor that a sample holds.
constexpr std::uint64_t most_sampled = std::uint64_t{1} << 16;

KGRADE_HOST_DEVICE constexpr std::uint64_t sample_size(std::uint64_t elements) {
  return elements < most_sampled ? elements : most_sampled;
}

// The element that is number `number` of a sample. A small tensor is sampled in full, in order. A larger
// tensor is cut into equal parts. The sample has one element from each part, at a place within the part that
// follows no pattern.
KGRADE_HOST_DEVICE inline std::uint64_t sampled_element(std::uint64_t number, std::uint64_t elements) {
  if (elements <= most_sampled) return number;
  // Knuth's multiplicative hash (The Art of Computer Programming, volume 3, section 6.4).
  const std::uint64_t place = number * 0x9E3779B97F4A7C15u >> 32;
  const std::uint64_t begin =
      elements / most_sampled * number + elements % most_sampled * number / most_sampled;
  return begin + (elements / most_sampled * place >> 32);
}

// Element `index` of a tensor of any type, as a double.
KGRADE_HOST_DEVICE inline double load_number(Dtype dtype, const unsigned char* tensor, std::uint64_t index) {
  return is_integer(dtype) ? static_cast<double>(load_integer(dtype, tensor, index))
                           : load_real(dtype, tensor, index);
}

// An output and the expected output. Expected elements have the type of the output, except that expected
// elements of a narrow type are stored as float32.
struct ComparedOutput {
  const unsigned char* actual = nullptr;
  const unsigned char* expected = nullptr;
  std::uint64_t elements = 0;
  Dtype dtype = Dtype::float32;
  TiedValues tied;
  Quantised quantised;
  Magnitudes magnitudes;
  bool expects_own_type = false;  // see OutputPair
};

struct StoredIntegers {
  Dtype dtype;
  const unsigned char* tensor;
  KGRADE_HOST_DEVICE std::int64_t operator()(std::uint64_t index) const {
    return load_integer(dtype, tensor, index);
  }
};

// The outputs of an integer type as functions.
KGRADE_HOST_DEVICE inline IntegerOutputs<StoredIntegers, StoredIntegers> integers_of(
    const ComparedOutput& output) {
  return {{output.dtype, output.actual}, {output.dtype, output.expected}, 0, output.elements};
}

// Element `index` of the expected output, for a floating type.
KGRADE_HOST_DEVICE inline double expected_real(const ComparedOutput& output, std::uint64_t index) {
  return load_real(is_narrow(output.dtype) ? Dtype::float32 : output.dtype, output.expected, index);
}

// The place of the scale of element `index` of the values.
KGRADE_HOST_DEVICE inline std::uint64_t place_of_scale(const Quantised& quantised, std::uint64_t index) {
  const std::uint64_t columns = quantised.columns / quantised.block;
  const std::uint64_t row = index / quantised.columns;
  const std::uint64_t column = index % quantised.columns / quantised.block;
  if (!quantised.is_swizzled) return row * columns + column;
  const std::uint64_t tile = row / 128 * ((columns + 3) / 4) + column / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + column % 4;
}

// The number that the code of element `index` stands for. The code is in `byte`.
KGRADE_HOST_DEVICE inline double decoded(const Quantised& quantised, const unsigned char* scales,
                                         std::uint32_t byte, std::uint64_t index) {
  const std::uint32_t code = codes_per_byte(quantised.code) == 2 && index % 2 == 1 ? byte >> 4 : byte;
  const float scale = decode(quantised.scale_code, scales[place_of_scale(quantised, index)]);
  return static_cast<double>(decode(quantised.code, code)) * static_cast<double>(scale) / quantised.divisor;
}

// Whether a value is one of the first `count` common ones.
KGRADE_HOST_DEVICE inline bool is_among(const Magnitudes& magnitudes, unsigned int count, double expected) {
  for (unsigned int i = 0; i < count; ++i) {
    if (magnitudes.common[i] == expected) return true;
  }
  return false;
}

KGRADE_HOST_DEVICE inline bool is_common(const Magnitudes& magnitudes, double expected) {
  return is_among(magnitudes, magnitudes.common_count, expected);
}

// Whether a varying element belongs to the set of smaller elements.
KGRADE_HOST_DEVICE inline bool is_smaller(const Magnitudes& magnitudes, double expected) {
  return fabs(expected) <= magnitudes.smaller_limit;
}

// The unit in which a difference of an element is given. Codes of a block share a scale, so the error of a
// code does not depend on the size of its own element. For codes, the unit is the root mean square alone.
KGRADE_HOST_DEVICE inline double unit_of(const Magnitudes& magnitudes, double expected) {
  return fmax(fabs(expected), magnitudes.rms);
}

KGRADE_HOST_DEVICE inline double scaled(double size, double unit) {
  if (size == 0) return 0;
  return unit > 0 ? size / unit : INFINITY;
}

// A difference up to this share of Magnitudes::smaller_limit may be a rounding error inside a formula, even
// if the result is small: log(1 + exp(-20)) is 0 in float.
constexpr double share_of_roundings = 0x1p-22;

KGRADE_HOST_DEVICE inline bool may_be_rounding(const Magnitudes& magnitudes, double size) {
  return size <= share_of_roundings * magnitudes.smaller_limit;
}

// The unit of a difference of the given size where common values are judged. For most common values, the
// value itself is the unit. Exceptions are 0, values that are common for these inputs only, and differences
// that may be rounding errors. For these and for all other elements, the unit is that of unit_of().
KGRADE_HOST_DEVICE inline double own_unit_of(const Magnitudes& magnitudes, double expected, double size) {
  const bool is_own = expected != 0 && !may_be_rounding(magnitudes, size) &&
                      is_among(magnitudes, magnitudes.fixed_count, expected);
  return is_own ? fabs(expected) : unit_of(magnitudes, expected);
}

// The error of an element with a common value, at most 1.
KGRADE_HOST_DEVICE inline double common_error(const Magnitudes& magnitudes, double expected, double size) {
  return fmin(1.0, scaled(size, own_unit_of(magnitudes, expected, size)));
}

KGRADE_HOST_DEVICE inline void note_difference(ElementErrors& total, double size, double unit,
                                               std::uint64_t index) {
  total.max_abs_difference = fmax(total.max_abs_difference, size);
  const double in_units = scaled(size, unit);
  if (in_units <= total.max_scaled_difference) return;
  total.max_scaled_difference = in_units;
  total.worst_index = index;
}

KGRADE_HOST_DEVICE inline void add(SetErrors& set, double difference, double expected) {
  set.squared_difference += difference * difference;
  set.squared_expected += expected * expected;
  set.elements += 1;
}

// The distances of the actual code and the expected code from the encoded value.
struct CodeDistances {
  double value = 0;
  double actual = 0;
  double expected = 0;
  bool is_finite = true;  // whether the actual code stands for a finite number
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

// Adds byte number `index` of an output of codes.
KGRADE_HOST_DEVICE inline void accumulate_codes(ElementErrors& total, const Quantised& quantised,
                                                const Magnitudes& magnitudes, std::uint32_t actual,
                                                std::uint32_t expected, std::uint64_t index) {
  const std::uint64_t count = codes_per_byte(quantised.code);
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
    note_difference(total, fmax(0.0, distances.actual - distances.expected), magnitudes.rms, index);
  }
}

KGRADE_HOST_DEVICE inline bool has_wrong_code(const ComparedOutput& output, std::uint64_t index,
                                              double limit) {
  const std::uint64_t count = codes_per_byte(output.quantised.code);
  for (std::uint64_t i = count * index; i < count * (index + 1); ++i) {
    const CodeDistances distances =
        code_distances(output.quantised, output.actual[index], output.expected[index], i);
    if (!distances.is_finite || distances.actual - distances.expected > limit * output.magnitudes.rms)
      return true;
  }
  return false;
}

KGRADE_HOST_DEVICE inline void accumulate_integer(ElementErrors& total, std::int64_t actual,
                                                  std::int64_t expected, std::uint64_t index, bool is_right) {
  const double size = static_cast<double>(expected);
  total.compared += 1;
  total.sum_squared_expected += size * size;
  if (is_right) return;
  // Beyond 2^53, neighbouring integers may be the same double.
  const double apart = fabs(static_cast<double>(actual) - size);
  const double difference = apart > 1 ? apart : 1;
  total.sum_squared_difference += difference * difference;
  note_difference(total, difference, fabs(size), index);
}

// The smallest normal float: 2^-126. Kernels that flush smaller numbers to zero cause differences below it.
constexpr double smallest_normal = 1.1754943508222875e-38;

// Like difference(), for two finite values, but 0 if the difference is below the smallest normal float.
// Differences of doubles are kept.
KGRADE_HOST_DEVICE inline double counted_difference(double actual, double expected, Dtype dtype) {
  const double found = difference(actual, expected, dtype);
  return dtype != Dtype::float64 && fabs(found) < smallest_normal ? 0 : found;
}

KGRADE_HOST_DEVICE inline void accumulate(ElementErrors& total, double actual, double expected,
                                          std::uint64_t index, Dtype dtype = Dtype::float32,
                                          const Magnitudes& magnitudes = {}) {
  const double rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) {
    if (same_nonfinite(actual, rounded)) return;
    if (total.nonfinite_mismatches == 0) total.first_nonfinite_mismatch = index;
    total.nonfinite_mismatches += 1;
    return;
  }
  const double difference = counted_difference(actual, expected, dtype);
  total.compared += 1;
  total.sum_squared_difference += difference * difference;
  total.sum_squared_expected += expected * expected;
  const bool varies = !is_common(magnitudes, expected);
  if (varies) add(total.varying, difference, expected);
  if (!varies) total.common += common_error(magnitudes, expected, fabs(difference));
  if (varies && is_smaller(magnitudes, expected)) add(total.smaller, difference, expected);
  const bool is_lost = varies && 2 * fabs(difference) >= fabs(expected);
  total.lost += is_lost && difference != 0 && !may_be_rounding(magnitudes, fabs(difference)) ? 1 : 0;
  note_difference(total, fabs(difference), unit_of(magnitudes, expected), index);
}

// Keeps the element with the larger difference. If the differences are equal, keeps the smaller index.
KGRADE_HOST_DEVICE inline void merge_worst(double& difference, std::uint64_t& index, double other,
                                           std::uint64_t other_index) {
  if (other > difference || (other == difference && other_index < index)) index = other_index;
  difference = fmax(difference, other);
}

KGRADE_HOST_DEVICE inline void merge(SetErrors& total, const SetErrors& part) {
  total.squared_difference += part.squared_difference;
  total.squared_expected += part.squared_expected;
  total.elements += part.elements;
}

// Adds the errors of another part of the same output.
KGRADE_HOST_DEVICE inline void merge(ElementErrors& total, const ElementErrors& part) {
  total.sum_squared_difference += part.sum_squared_difference;
  total.sum_squared_expected += part.sum_squared_expected;
  merge(total.varying, part.varying);
  merge(total.smaller, part.smaller);
  total.common += part.common;
  total.compared += part.compared;
  total.lost += part.lost;
  merge_worst(total.max_scaled_difference, total.worst_index, part.max_scaled_difference, part.worst_index);
  merge_worst(total.max_difference_in_slice, total.worst_index_in_slice, part.max_difference_in_slice,
              part.worst_index_in_slice);
  total.max_abs_difference = fmax(total.max_abs_difference, part.max_abs_difference);
  if (part.nonfinite_mismatches > 0 &&
      (total.nonfinite_mismatches == 0 || part.first_nonfinite_mismatch < total.first_nonfinite_mismatch)) {
    total.first_nonfinite_mismatch = part.first_nonfinite_mismatch;
  }
  total.nonfinite_mismatches += part.nonfinite_mismatches;
}

// For an output whose slices are judged separately, except slices of zeros.
KGRADE_HOST_DEVICE inline void note_in_slice(ElementErrors& total, const Slices& slices, double actual,
                                             double expected, std::uint64_t index, Dtype dtype) {
  const double rms = slices.rms[index / slices.inner % slices.count];
  if (rms == 0 || !is_finite(actual) || !is_finite(expected)) return;
  const double difference = fabs(counted_difference(actual, expected, dtype)) / fmax(fabs(expected), rms);
  if (difference <= total.max_difference_in_slice) return;
  total.max_difference_in_slice = difference;
  total.worst_index_in_slice = index;
}

KGRADE_HOST_DEVICE inline void accumulate(ElementErrors& total, const ComparedOutput& output,
                                          std::uint64_t index) {
  if (output.quantised.values != nullptr)
    return accumulate_codes(total, output.quantised, output.magnitudes, output.actual[index],
                            output.expected[index], index);
  if (is_integer(output.dtype)) {
    const auto outputs = integers_of(output);
    return accumulate_integer(total, outputs.actual(index), outputs.expected(index), index,
                              is_right_integer(output.tied, outputs, index));
  }
  const double actual = load_real(output.dtype, output.actual, index);
  const double expected = expected_real(output, index);
  accumulate(total, actual, expected, index, output.dtype, output.magnitudes);
  const Slices& slices = output.magnitudes.slices;
  if (slices.count > 0) note_in_slice(total, slices, actual, expected, index, output.dtype);
}

// Whether an element is off by more than `limit`, in the units of own_unit_of(). A limit of 0 is for outputs
// that are compared exactly.
KGRADE_HOST_DEVICE inline bool is_wrong(double actual, double expected, double limit, Dtype dtype,
                                        const Magnitudes& magnitudes) {
  const double rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) return !same_nonfinite(actual, rounded);
  const double size = fabs(counted_difference(actual, expected, dtype));
  return !(size <= limit * own_unit_of(magnitudes, expected, size));
}

// An element by the rule of a problem's set: SetRule in problem/problem.h.
struct RuledElement {
  double error = 0;  // |actual - expected|; infinite for NaN, and if only one of the two is finite
  bool passes = true;
};

KGRADE_HOST_DEVICE inline RuledElement ruled_element(const ComparedOutput& output, std::uint64_t index,
                                                     double absolute, double relative, bool either) {
  const double actual = load_number(output.dtype, output.actual, index);
  const double expected = is_integer(output.dtype) || output.expects_own_type
                              ? load_number(output.dtype, output.expected, index)
                              : rounded_to(output.dtype, expected_real(output, index));
  if (actual == expected) return {};
  const double error = fabs(actual - expected);
  if (!is_finite(error)) return {INFINITY, false};
  const double in_proportion = relative * fabs(expected);
  return {error, error <= (either ? fmax(absolute, in_proportion) : absolute + in_proportion)};
}

// For integers, any difference is wrong, unless indices are tied.
KGRADE_HOST_DEVICE inline bool is_wrong(const ComparedOutput& output, std::uint64_t index, double limit) {
  if (output.quantised.values != nullptr) return has_wrong_code(output, index, limit);
  if (!is_integer(output.dtype)) {
    return is_wrong(load_real(output.dtype, output.actual, index), expected_real(output, index), limit,
                    output.dtype, output.magnitudes);
  }
  return !is_right_integer(output.tied, integers_of(output), index);
}

}  // namespace kgrade::device
