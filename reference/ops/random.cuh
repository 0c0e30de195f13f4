// Random numbers for inputs that a reference computes, by their place: the same seed gives the same numbers in any
// order, on every device. Below them are whole inputs, which `inputs()` of a reference draws in one line: offsets of
// ragged rows, labels of which some are ignored, and numbers of which some are equal. The mixing is that of SplitMix64
// (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
#pragma once

#include "ops/launch.cuh"

namespace ops {

// `stream` distinguishes tensors and purposes.
__host__ __device__ inline unsigned long long random_bits(unsigned long long seed, unsigned long long stream,
                                                          unsigned long long index) {
  unsigned long long bits = seed + 0x9E3779B97F4A7C15ULL * (index + 1) + 0xD1342543DE82EF95ULL * stream;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9ULL;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBULL;
  return bits ^ bits >> 31;
}

// From 0 to below 1, a multiple of 2^-24.
__host__ __device__ inline float random_uniform(unsigned long long seed, unsigned long long stream,
                                                unsigned long long index) {
  return static_cast<float>(random_bits(seed, stream, index) >> 40) * 0x1p-24F;
}

// From 0 to `below` - 1.
__host__ __device__ inline unsigned long long random_below(unsigned long long below, unsigned long long seed,
                                                           unsigned long long stream, unsigned long long index) {
  return random_bits(seed, stream, index) % below;
}

// Where row `row` of `rows` ragged rows begins, which have `count` elements together. The rows are halved until one is
// left, and the elements are shared between the halves. Halves of many rows have nearly equal shares. Those of few rows
// do not, and of every second pair of rows one is empty.
__host__ __device__ inline std::int64_t ragged_offset(std::int64_t row, std::int64_t rows, std::int64_t count,
                                                      unsigned long long seed) {
  if (row >= rows) return count;
  const std::int64_t few = 64;
  std::int64_t first = 0;
  std::int64_t begin = 0;
  while (rows > 1) {
    const std::int64_t left = rows / 2;
    const double drawn = random_uniform(seed, 2 * rows, first);
    const double even = static_cast<double>(left) / static_cast<double>(rows);
    double share = rows > few ? even * (0.5 + drawn) : drawn;
    if (rows <= 3 && random_below(2, seed, 2 * rows + 1, first) == 0) share = drawn < 0.5 ? 0 : 1;
    const std::int64_t taken = static_cast<std::int64_t>(static_cast<double>(count) * share);
    if (row < first + left) {
      rows = left;
      count = taken;
    } else {
      first += left;
      begin += taken;
      rows -= left;
      count -= taken;
    }
  }
  return begin;
}

template <class Index>
__global__ void fill_offsets(Index* offsets, std::int64_t rows, std::int64_t count, unsigned long long seed) {
  const std::int64_t row = position_in_plane();
  if (row <= rows) offsets[row] = static_cast<Index>(ragged_offset(row, rows, count, seed));
}

// Writes rows + 1 ascending offsets, from 0 to `count`: where the rows of a ragged matrix begin (CSR), and where the
// last one ends. About a fourth of the rows is empty, and lengths differ by far.
template <class Index>
void draw_offsets(Index* offsets, std::size_t rows, std::size_t count, unsigned long long seed) {
  const auto last = static_cast<std::int64_t>(rows);
  fill_offsets<<<plane_grid(1, last + 1), threads_per_block>>>(offsets, last, static_cast<std::int64_t>(count), seed);
}

template <class Label>
__global__ void fill_labels(Label* labels, std::int64_t count, unsigned long long classes, long long ignored,
                            unsigned long long seed) {
  const std::int64_t i = position_in_plane();
  if (i >= count) return;
  auto label = static_cast<long long>(random_below(classes, seed, 0, i));
  if (i == 0 && label == ignored) label = label == 0 ? 1 : 0;
  labels[i] = static_cast<Label>(i > 0 && random_below(8, seed, 1, i) == 0 ? ignored : label);
}

// Writes `count` labels from 0 to classes - 1, of at least two classes. One in eight has the value `ignored` instead,
// which may be one of the classes, but never the first.
template <class Label>
void draw_labels(Label* labels, std::size_t count, std::size_t classes, long long ignored, unsigned long long seed) {
  const auto all = static_cast<std::int64_t>(count);
  fill_labels<<<plane_grid(1, all), threads_per_block>>>(labels, all, static_cast<unsigned long long>(classes), ignored,
                                                         seed);
}

inline __global__ void fill_tied(float* values, std::int64_t columns, std::int64_t count, float deviation,
                                 unsigned long long seed) {
  constexpr int parts = 12;  // the variance of their sum is 1
  const std::int64_t i = position_in_plane();
  if (i >= count) return;
  const std::int64_t row = i / columns;
  const std::int64_t column = i % columns;
  const bool is_copy = random_below(4, seed, parts, i) == 0;
  const std::int64_t of_another = row * columns + static_cast<std::int64_t>(
                                                      random_below(columns, seed, parts + 1, i));
  float sum = 0;
  for (int part = 0; part < parts; ++part) sum += random_uniform(seed, part, is_copy ? of_another : i) - 0.5F;
  // Twelve steps of four equal numbers or more.
  const float step = static_cast<float>(column / 4 * 12 / ((columns + 3) / 4)) - 5.5F;
  // Choices by insertion take far longer in sorted rows than in others, and such times say little.
  const float rising = count <= 1 << 20 ? step : sum;
  switch (row == 0 ? 0 : random_below(16, seed, parts + 2, row)) {
    case 1:
      sum = rising;
      break;
    case 2:
      sum = -rising;
      break;
    case 3:
      sum = -fabsf(sum);
      break;
    case 4:
      sum = fabsf(sum);
      break;
    case 5:
      sum = floorf(sum);
      break;
    case 6:
      sum = 1 + sum / 64;
      break;
    case 7:
      sum = random_uniform(seed, parts + 3, row) - 0.5F;
      break;
    default:
      break;
  }
  values[i] = deviation * sum;
}

// Writes rows of numbers that are about normal, with mean 0. In each row some are equal to others, about a third if the
// row is long: choices among them have to say which one of the equals they take. Of sixteen rows about seven differ:
// one ascends in steps and one descends (in inputs of at most 2^20 elements), one has no positive and one no negative
// number, one has whole numbers, one has numbers near `deviation`, and one has a single number. The first row is none
// of them.
inline void draw_tied(float* values, std::size_t rows, std::size_t columns, float deviation, unsigned long long seed) {
  const auto count = static_cast<std::int64_t>(rows * columns);
  fill_tied<<<plane_grid(1, count), threads_per_block>>>(values, static_cast<std::int64_t>(columns), count, deviation,
                                                         seed);
}

}  // namespace ops
