// What the referee does to one block of 16 bytes or one element, written once for host and device. A block
// is 16 bytes of a random stream: bytes 16b to 16b+15 of a buffer, or elements 4b to 4b+3 of an input,
// whatever their type.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "device/contents.h"

namespace kgrade::device {

struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

// The blocks of a byte range: first, and one past the last.
KGRADE_HOST_DEVICE inline std::uint64_t first_block(ByteRange range) { return range.begin / 16; }
KGRADE_HOST_DEVICE inline std::uint64_t end_block(ByteRange range) { return (range.end + 15) / 16; }

// What poison and guard zones are made of: random, but never a value that an output could hold. As a float
// each word is a NaN or at least 2^65 in size, and so are its halves as bfloat16: purely random bits are a
// float below 1e-5 four times in ten, and an element that is expected to be zero could pass without ever
// being written. A float16 cannot be so large: there each half is a NaN or an infinity.
struct Poison {
  RandomStream stream;
  Dtype dtype = Dtype::float32;  // of the tensor that it is in, or around
};

KGRADE_HOST_DEVICE inline PhiloxBlock poison_block(const Poison& poison, std::uint64_t block) {
  PhiloxBlock words = random_block(poison.stream, block);
  const std::uint32_t always = poison.dtype == Dtype::float16 ? 0x7C007C00u : 0x60006000u;
  for (std::uint32_t& word : words.word) word |= always;
  return words;
}

KGRADE_HOST_DEVICE inline ByteRange clip(ByteRange range, std::uint64_t block) {
  const std::uint64_t begin = 16 * block;
  return {begin < range.begin ? range.begin : begin, begin + 16 > range.end ? range.end : begin + 16};
}

KGRADE_HOST_DEVICE inline void fill_block(unsigned char* buffer, ByteRange range, const Poison& poison,
                                          std::uint64_t block) {
  const PhiloxBlock words = poison_block(poison, block);
  const ByteRange part = clip(range, block);
  if (part.end - part.begin == 16) {
    memcpy(buffer + part.begin, &words, 16);
    return;
  }
  for (std::uint64_t i = part.begin; i < part.end; ++i) buffer[i] = random_byte(words, i);
}

KGRADE_HOST_DEVICE inline unsigned int changed_bytes_in_block(const unsigned char* buffer, ByteRange range,
                                                              const Poison& poison, std::uint64_t block) {
  const PhiloxBlock words = poison_block(poison, block);
  const ByteRange part = clip(range, block);
  unsigned int changed = 0;
  for (std::uint64_t i = part.begin; i < part.end; ++i) changed += buffer[i] != random_byte(words, i);
  return changed;
}

// Aligned elements that still hold what fill_block wrote.
KGRADE_HOST_DEVICE inline unsigned int unchanged_elements_in_block(const unsigned char* buffer,
                                                                   ByteRange range, const Poison& poison,
                                                                   std::uint64_t block) {
  const PhiloxBlock words = poison_block(poison, block);
  const ByteRange part = clip(range, block);
  const std::uint64_t step = element_bytes(poison.dtype);
  unsigned int unchanged = 0;
  for (std::uint64_t i = part.begin; i + step <= part.end; i += step) {
    bool same = true;
    for (std::uint64_t k = i; k < i + step; ++k) same = same && buffer[k] == random_byte(words, k);
    unchanged += same;
  }
  return unchanged;
}

struct InputRange {
  std::uint64_t elements;
  InputContents contents;
  Dtype dtype = Dtype::float32;  // how they are stored, which may be wider than what they are values of
};

// Elements 4 * block to 4 * block + 3 as they should be.
struct FourElements {
  float value[4];
};

KGRADE_HOST_DEVICE inline FourElements input_block(const InputContents& contents, std::uint64_t block) {
  const PhiloxBlock random = random_block(contents.stream, block);
  FourElements four;
  for (int i = 0; i < 4; ++i) four.value[i] = sample(contents.distribution, random.word[i]);
  for (unsigned int k = 0; k < contents.changes.count; ++k) {
    const std::uint64_t position = contents.changes.position[k];
    if (position / 4 == block) four.value[position % 4] = contents.changes.value[k];
  }
  return four;
}

KGRADE_HOST_DEVICE inline void fill_input_block(unsigned char* input, const InputRange& range,
                                                std::uint64_t block) {
  const FourElements four = input_block(range.contents, block);
  for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i)
    store_element(range.dtype, input, i, four.value[i % 4]);
}

KGRADE_HOST_DEVICE inline unsigned int changed_elements_in_block(const unsigned char* input,
                                                                 const InputRange& range,
                                                                 std::uint64_t block) {
  const FourElements four = input_block(range.contents, block);
  unsigned int changed = 0;
  for (std::uint64_t i = 4 * block; i < 4 * block + 4 && i < range.elements; ++i) {
    changed += bits_of(four.value[i % 4]) != bits_of(load_element(range.dtype, input, i));
  }
  return changed;
}

// By bits, since a compiler may assume that there are no NaNs where fast math is on.
KGRADE_HOST_DEVICE inline bool is_finite(float value) {
  return (bits_of(value) & 0x7F800000u) != 0x7F800000u;
}

KGRADE_HOST_DEVICE inline bool is_nan(float value) { return !is_finite(value) && value != value; }

// Two values of which at least one is not finite agree when both are NaN or both the same infinity.
KGRADE_HOST_DEVICE inline bool same_nonfinite(float a, float b) {
  return (is_nan(a) && is_nan(b)) || (!is_nan(a) && !is_nan(b) && a == b);
}

// How far a value of the type is from what was expected, both finite. An expected value is a float32 whatever
// the type, and all that rounding it once to a 16-bit type can make of it is as good as the value itself:
// what counts is the distance from the numbers that `actual` is the nearest value of. So a kernel that works
// in float32 and rounds at the end is off by what it is off before it rounds, at most, and by nothing most of
// the time.
KGRADE_HOST_DEVICE inline double difference(float actual, float expected, Dtype dtype) {
  const double wide = static_cast<double>(expected);
  if (dtype == Dtype::float32) return static_cast<double>(actual) - wide;
  if (rounded_to(dtype, expected) == actual) return 0;
  const double next = static_cast<double>(neighbour_towards(dtype, actual, expected));
  return (static_cast<double>(actual) + next) / 2 - wide;
}

KGRADE_HOST_DEVICE inline void accumulate(ElementErrors& total, float actual, float expected,
                                          std::uint64_t index, Dtype dtype = Dtype::float32) {
  const float rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) {
    if (same_nonfinite(actual, rounded)) return;
    if (total.nonfinite_mismatches == 0) total.first_nonfinite_mismatch = index;
    total.nonfinite_mismatches += 1;
    return;
  }
  const double difference = device::difference(actual, expected, dtype);
  total.compared += 1;
  total.sum_squared_difference += difference * difference;
  total.sum_squared_expected += static_cast<double>(expected) * static_cast<double>(expected);
  if (fabs(difference) > total.max_abs_difference) {
    total.max_abs_difference = fabs(difference);
    total.worst_index = index;
  }
}

// Adds what another part of the same output gave; the smallest index wins where values tie.
KGRADE_HOST_DEVICE inline void merge(ElementErrors& total, const ElementErrors& part) {
  total.sum_squared_difference += part.sum_squared_difference;
  total.sum_squared_expected += part.sum_squared_expected;
  total.compared += part.compared;
  if (part.max_abs_difference > total.max_abs_difference ||
      (part.max_abs_difference == total.max_abs_difference && part.worst_index < total.worst_index)) {
    total.max_abs_difference = part.max_abs_difference;
    total.worst_index = part.worst_index;
  }
  if (part.nonfinite_mismatches > 0 &&
      (total.nonfinite_mismatches == 0 || part.first_nonfinite_mismatch < total.first_nonfinite_mismatch)) {
    total.first_nonfinite_mismatch = part.first_nonfinite_mismatch;
  }
  total.nonfinite_mismatches += part.nonfinite_mismatches;
}

KGRADE_HOST_DEVICE inline bool is_wrong(float actual, float expected, double limit, Dtype dtype) {
  const float rounded = rounded_to(dtype, expected);
  if (!is_finite(actual) || !is_finite(rounded)) return !same_nonfinite(actual, rounded);
  return !(fabs(difference(actual, expected, dtype)) <= limit);
}

}  // namespace kgrade::device
