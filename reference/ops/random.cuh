// Random numbers for inputs that a reference computes, by their place: the same seed gives the same numbers in any
// order, on every device. The mixing is that of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators", 2014).
#pragma once

#include "ops/types.cuh"

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

}  // namespace ops
