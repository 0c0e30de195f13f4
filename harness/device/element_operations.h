// What the referee does to one block of four elements of an input, or to one element of an output, written
// once for host and device. A block is 16 bytes of a random stream. Block b gives elements 4b to 4b+3 of an
// input of any type.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/contents.h"

namespace kgrade::device {

struct InputRange {
  std::uint64_t elements;
  InputContents contents;
  Dtype dtype = Dtype::float32;  // how elements are stored, which may be wider than their values' type
  // The elements are copied from here, stored as source_dtype; null: they are drawn.
  const unsigned char* source = nullptr;
  Dtype source_dtype = Dtype::float32;
};

// Tests bits, because a compiler may assume that there are no NaNs if fast math is on.
KGRADE_HOST_DEVICE inline bool is_finite(float value) {
  return (bits_of(value) & 0x7F800000u) != 0x7F800000u;
}

KGRADE_HOST_DEVICE inline bool is_finite(double value) {
  constexpr std::int64_t exponent = 0x7FF0000000000000;
  return (double_bits(value) & exponent) != exponent;
}

KGRADE_HOST_DEVICE inline bool is_nan(double value) { return !is_finite(value) && value != value; }

// A copied value. In a 16-bit type, finite values are rounded as drawn ones are (sample() in
// draw/distribution.h).
KGRADE_HOST_DEVICE inline float copied_as(Dtype dtype, float value) {
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

// The stored bits of a copied element: those of its source, unless the floating type differs.
KGRADE_HOST_DEVICE inline std::uint64_t copied_bits(const InputRange& range, std::uint64_t index) {
  if (range.source_dtype == range.dtype && range.contents.distribution.dtype == range.dtype)
    return load_bits(range.source, index, element_bytes(range.dtype));
  const float value =
      copied_as(range.contents.distribution.dtype, load_element(range.source_dtype, range.source, index));
  return range.dtype == Dtype::float32 ? bits_of(value) : encode(range.dtype, value);
}

// Element `index` of an input whose elements are drawn as floats.
KGRADE_HOST_DEVICE inline float float_element(const InputContents& contents, std::uint64_t index) {
  if (is_outside(contents.distribution, index)) return 0;
  const std::uint64_t place = drawn_place(contents.distribution, index);
  float value = element(contents.distribution, contents.stream, index);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    if (contents.changes.position[k] == place) value = contents.changes.value[k];
  }
  return value;
}

// Four elements of an input: their values, or their stored bits.
template <class T>
struct Four {
  T element[4];
};

// Elements 4 * block to 4 * block + 3 of an input whose elements are drawn as floats, each in its own place.
// `form` is the distribution's.
KGRADE_HOST_DEVICE inline Four<float> drawn_block(const InputContents& contents, const DrawForm& form,
                                                  std::uint64_t block) {
  const PhiloxBlock random = random_block(contents.stream, block);
  Four<float> four;
  for (unsigned int i = 0; i < 4; ++i)
    four.element[i] = element_at(contents.distribution, form, random.word[i], 4 * block + i);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    for (unsigned int i = 0; i < 4; ++i) {
      if (contents.changes.position[k] == 4 * block + i) four.element[i] = contents.changes.value[k];
    }
  }
  return four;
}

// Element `index` of an input whose numbers a float may not hold.
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

// Whether elements come from given_bits(), and not from floats that are drawn four at a time.
KGRADE_HOST_DEVICE inline bool has_given_bits(const InputRange& range) {
  return range.source != nullptr || has_wide_elements(range.contents.distribution);
}

KGRADE_HOST_DEVICE inline std::int64_t given_bits(const InputRange& range, std::uint64_t index) {
  return range.source != nullptr ? static_cast<std::int64_t>(copied_bits(range, index))
                                 : wide_element(range.contents, index);
}

KGRADE_HOST_DEVICE inline Four<std::int64_t> stored_as(Dtype dtype, const Four<float>& values) {
  Four<std::int64_t> stored;
  for (unsigned int i = 0; i < 4; ++i) stored.element[i] = element_bits(dtype, values.element[i]);
  return stored;
}

// Elements 4 * block to 4 * block + 3 of an input as they are stored: the lowest bits of each. Elements past
// the end of the input are undefined.
KGRADE_HOST_DEVICE inline Four<std::int64_t> input_block(const InputRange& range, std::uint64_t block) {
  const Distribution& distribution = range.contents.distribution;
  const bool is_given = has_given_bits(range);
  if (!is_given && is_drawn_in_place(distribution))
    return stored_as(range.dtype, drawn_block(range.contents, form_of(distribution), block));
  Four<std::int64_t> four = {};
  for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i) {
    four.element[i % 4] =
        is_given ? given_bits(range, i) : element_bits(range.dtype, float_element(range.contents, i));
  }
  return four;
}

// Four elements in memory. A GPU moves 16 bytes at once if they are aligned.
template <class Word>
struct alignas(sizeof(Word) < 4 ? 4 * sizeof(Word) : 16) FourWords {
  Word word[4];
};

template <class Word>
KGRADE_HOST_DEVICE inline bool moves_at_once(const Word* words, std::uint64_t count) {
  return count >= 4 && reinterpret_cast<std::uintptr_t>(words) % alignof(FourWords<Word>) == 0;
}

template <class Word>
KGRADE_HOST_DEVICE inline void store_words(Word* words, std::uint64_t count, const Four<std::int64_t>& four) {
  if (moves_at_once(words, count)) {
    *reinterpret_cast<FourWords<Word>*>(words) = {
        {static_cast<Word>(four.element[0]), static_cast<Word>(four.element[1]),
         static_cast<Word>(four.element[2]), static_cast<Word>(four.element[3])}};
    return;
  }
  for (unsigned int i = 0; i < 4 && i < count; ++i) words[i] = static_cast<Word>(four.element[i]);
}

template <class Word>
KGRADE_HOST_DEVICE inline unsigned int changed_words(const Word* words, std::uint64_t count,
                                                     const Four<std::int64_t>& four) {
  unsigned int changed = 0;
  if (moves_at_once(words, count)) {
    const FourWords<Word> found = *reinterpret_cast<const FourWords<Word>*>(words);
    for (unsigned int i = 0; i < 4; ++i) changed += found.word[i] != static_cast<Word>(four.element[i]);
    return changed;
  }
  for (unsigned int i = 0; i < 4 && i < count; ++i) changed += words[i] != static_cast<Word>(four.element[i]);
  return changed;
}

// Elements 4 * block to 4 * block + 3 of a copy of float32 elements, as `dtype` stores them. Elements past
// the end of the input are undefined.
KGRADE_HOST_DEVICE inline Four<std::int64_t> copied_block(const InputRange& range, Dtype dtype,
                                                          std::uint64_t block) {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(range.source) + 4 * block;
  Four<std::int64_t> four = {};
  if (moves_at_once(words, range.elements - 4 * block)) {
    const auto found = *reinterpret_cast<const FourWords<std::uint32_t>*>(words);
    for (unsigned int i = 0; i < 4; ++i) four.element[i] = found.word[i];
  } else {
    for (std::uint64_t i = 0; i < 4 && 4 * block + i < range.elements; ++i) four.element[i] = words[i];
  }
  if (dtype == Dtype::float32) return four;
  for (std::int64_t& bits : four.element)
    bits = encode(dtype, copied_as(dtype, float_of(static_cast<std::uint32_t>(bits))));
  return four;
}

// Writes a block of an input that is stored as elements of `dtype`.
KGRADE_HOST_DEVICE inline void store_block(unsigned char* input, Dtype dtype, std::uint64_t elements,
                                           std::uint64_t block, const Four<std::int64_t>& four) {
  const std::uint64_t bytes = element_bytes(dtype);
  unsigned char* const at = input + 4 * block * bytes;
  const std::uint64_t count = elements - 4 * block;
  if (bytes == 1) return store_words(at, count, four);
  if (bytes == 2) return store_words(reinterpret_cast<std::uint16_t*>(at), count, four);
  if (bytes == 4) return store_words(reinterpret_cast<std::uint32_t*>(at), count, four);
  store_words(reinterpret_cast<std::uint64_t*>(at), count, four);
}

// How many elements of a block have changed since store_block().
KGRADE_HOST_DEVICE inline unsigned int count_changed(const unsigned char* input, Dtype dtype,
                                                     std::uint64_t elements, std::uint64_t block,
                                                     const Four<std::int64_t>& four) {
  const std::uint64_t bytes = element_bytes(dtype);
  const unsigned char* const at = input + 4 * block * bytes;
  const std::uint64_t count = elements - 4 * block;
  if (bytes == 1) return changed_words(at, count, four);
  if (bytes == 2) return changed_words(reinterpret_cast<const std::uint16_t*>(at), count, four);
  if (bytes == 4) return changed_words(reinterpret_cast<const std::uint32_t*>(at), count, four);
  return changed_words(reinterpret_cast<const std::uint64_t*>(at), count, four);
}

// Two values, at least one of them not finite, agree if both are NaN or both are the same infinity.
KGRADE_HOST_DEVICE inline bool same_nonfinite(double a, double b) {
  return (is_nan(a) && is_nan(b)) || (!is_nan(a) && !is_nan(b) && a == b);
}

// How far a value of the type is from the expected value, both finite. For a 16-bit type the expected value
// is a float32, and any single rounding of it to the type is as good as the value itself. So the distance is
// taken from the numbers that round to `actual`. A kernel that works in float32 and rounds at the end is off
// by at most its error before rounding, and mostly by nothing.
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

// The most elements of a tensor that a sample holds.
constexpr std::uint64_t most_sampled = std::uint64_t{1} << 16;

KGRADE_HOST_DEVICE constexpr std::uint64_t sample_size(std::uint64_t elements) {
  return elements < most_sampled ? elements : most_sampled;
}

// The element that is number `number` of a sample. A small tensor is sampled in full, in order. A larger one
// is cut into equal parts, with one element from each, at a place within the part that follows no pattern.
KGRADE_HOST_DEVICE inline std::uint64_t sampled_element(std::uint64_t number, std::uint64_t elements) {
  if (elements <= most_sampled) return number;
  // Knuth's multiplicative hash (The Art of Computer Programming, volume 3, section 6.4).
  const std::uint64_t place = number * 0x9E3779B97F4A7C15u >> 32;
  const std::uint64_t begin =
      elements / most_sampled * number + elements % most_sampled * number / most_sampled;
  return begin + (elements / most_sampled * place >> 32);
}

// Element `index` as a double, however it is stored.
KGRADE_HOST_DEVICE inline double load_number(Dtype dtype, const unsigned char* tensor, std::uint64_t index) {
  return is_integer(dtype) ? static_cast<double>(load_integer(dtype, tensor, index))
                           : load_real(dtype, tensor, index);
}

// An output and the expected one. The expected elements are stored as the output's are, except that a narrow
// type is stored as float32.
struct ComparedOutput {
  const unsigned char* actual = nullptr;
  const unsigned char* expected = nullptr;
  std::uint64_t elements = 0;
  Dtype dtype = Dtype::float32;
  TiedValues tied;
  Quantised quantised;
  Magnitudes magnitudes;
};

// For a floating type.
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

KGRADE_HOST_DEVICE constexpr std::uint64_t codes_per_byte(const Quantised& quantised) {
  return quantised.code == SmallFloat::e2m1 ? 2 : 1;
}

// The number that the code of element `index` stands for. The code is in `byte`.
KGRADE_HOST_DEVICE inline double decoded(const Quantised& quantised, const unsigned char* scales,
                                         std::uint32_t byte, std::uint64_t index) {
  const std::uint32_t code = codes_per_byte(quantised) == 2 && index % 2 == 1 ? byte >> 4 : byte;
  const float scale = decode(quantised.scale_code, scales[place_of_scale(quantised, index)]);
  return static_cast<double>(decode(quantised.code, code)) * static_cast<double>(scale) / quantised.divisor;
}

KGRADE_HOST_DEVICE inline bool is_common(const Magnitudes& magnitudes, double expected) {
  for (unsigned int i = 0; i < magnitudes.common_count; ++i) {
    if (magnitudes.common[i] == expected) return true;
  }
  return false;
}

// For a varying element.
KGRADE_HOST_DEVICE inline bool is_smaller(const Magnitudes& magnitudes, double expected) {
  return fabs(expected) <= magnitudes.smaller_limit;
}

// The unit in which a difference of an element is given. Codes of a block share a scale, so the error of a
// code does not depend on the size of its own element: codes use the root mean square alone.
KGRADE_HOST_DEVICE inline double unit_of(const Magnitudes& magnitudes, double expected) {
  return fmax(fabs(expected), magnitudes.rms);
}

KGRADE_HOST_DEVICE inline double scaled(double size, double unit) {
  if (size == 0) return 0;
  return unit > 0 ? size / unit : INFINITY;
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

// How far two codes are from the value for which they stand.
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
    note_difference(total, fmax(0.0, distances.actual - distances.expected), magnitudes.rms, index);
  }
}

KGRADE_HOST_DEVICE inline bool has_wrong_code(const ComparedOutput& output, std::uint64_t index,
                                              double limit) {
  const std::uint64_t count = codes_per_byte(output.quantised);
  for (std::uint64_t i = count * index; i < count * (index + 1); ++i) {
    const CodeDistances distances =
        code_distances(output.quantised, output.actual[index], output.expected[index], i);
    if (!distances.is_finite || distances.actual - distances.expected > limit * output.magnitudes.rms)
      return true;
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
  note_difference(total, difference, fabs(size), index);
}

// The smallest normal float: 2^-126. Kernels that flush smaller numbers to zero cause differences below it.
constexpr double smallest_normal = 1.1754943508222875e-38;

// As difference(), for two finite values, but 0 below the smallest normal float. Doubles are not flushed.
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
  if (varies && is_smaller(magnitudes, expected)) add(total.smaller, difference, expected);
  total.lost += varies && difference != 0 && 2 * fabs(difference) >= fabs(expected) ? 1 : 0;
  note_difference(total, fabs(difference), unit_of(magnitudes, expected), index);
}

KGRADE_HOST_DEVICE inline void merge(SetErrors& total, const SetErrors& part) {
  total.squared_difference += part.squared_difference;
  total.squared_expected += part.squared_expected;
  total.elements += part.elements;
}

// Adds the errors of another part of the same output. For equal values, the smallest index wins.
KGRADE_HOST_DEVICE inline void merge(ElementErrors& total, const ElementErrors& part) {
  total.sum_squared_difference += part.sum_squared_difference;
  total.sum_squared_expected += part.sum_squared_expected;
  merge(total.varying, part.varying);
  merge(total.smaller, part.smaller);
  total.compared += part.compared;
  total.lost += part.lost;
  const double theirs = part.max_scaled_difference;
  if (theirs > total.max_scaled_difference ||
      (theirs == total.max_scaled_difference && part.worst_index < total.worst_index))
    total.worst_index = part.worst_index;
  total.max_scaled_difference = fmax(total.max_scaled_difference, theirs);
  total.max_abs_difference = fmax(total.max_abs_difference, part.max_abs_difference);
  if (part.nonfinite_mismatches > 0 &&
      (total.nonfinite_mismatches == 0 || part.first_nonfinite_mismatch < total.first_nonfinite_mismatch)) {
    total.first_nonfinite_mismatch = part.first_nonfinite_mismatch;
  }
  total.nonfinite_mismatches += part.nonfinite_mismatches;
}

KGRADE_HOST_DEVICE inline void accumulate(ElementErrors& total, const ComparedOutput& output,
                                          std::uint64_t index) {
  if (output.quantised.values != nullptr)
    return accumulate_codes(total, output.quantised, output.magnitudes, output.actual[index],
                            output.expected[index], index);
  if (is_integer(output.dtype)) {
    return accumulate_integer(total, load_integer(output.dtype, output.actual, index),
                              load_integer(output.dtype, output.expected, index), index, output.tied);
  }
  accumulate(total, load_real(output.dtype, output.actual, index), expected_real(output, index), index,
             output.dtype, output.magnitudes);
}

// Whether an element is off by more than `limit`, in the units of unit_of(). A limit of 0 is for outputs that
// are compared exactly.
KGRADE_HOST_DEVICE inline bool is_wrong(double actual, double expected, double limit, Dtype dtype,
                                        const Magnitudes& magnitudes) {
  const double rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) return !same_nonfinite(actual, rounded);
  const double size = fabs(counted_difference(actual, expected, dtype));
  return !(size <= limit * unit_of(magnitudes, expected));
}

// For integers, any difference is wrong, unless indices are tied.
KGRADE_HOST_DEVICE inline bool is_wrong(const ComparedOutput& output, std::uint64_t index, double limit) {
  if (output.quantised.values != nullptr) return has_wrong_code(output, index, limit);
  if (!is_integer(output.dtype)) {
    return is_wrong(load_real(output.dtype, output.actual, index), expected_real(output, index), limit,
                    output.dtype, output.magnitudes);
  }
  const std::int64_t actual = load_integer(output.dtype, output.actual, index);
  const std::int64_t expected = load_integer(output.dtype, output.expected, index);
  return actual != expected && !is_tied(output.tied, index, actual, expected);
}

}  // namespace kgrade::device
