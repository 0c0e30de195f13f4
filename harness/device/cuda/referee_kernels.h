// The referee's own kernels, behind plain functions so that only one file needs nvcc. Pointers are device
// pointers. All of them queue their work on the legacy default stream and return; they throw on a CUDA error.
#pragma once

#include "device/element_operations.h"

namespace kgrade::cuda {

using Counter = unsigned long long;

// How many partial results compare() writes.
inline constexpr unsigned int comparison_parts = 256;

// What lies around a tensor, or a whole buffer and an empty range.
struct TwoRanges {
  device::ByteRange first;
  device::ByteRange second;
};

void fill_random_bytes(unsigned char* buffer, const TwoRanges& ranges, const RandomStream& stream);
void fill_input(float* input, const device::InputRange& range);

// These add to a counter in device memory.
void count_changed_bytes(const unsigned char* buffer, const TwoRanges& ranges, const RandomStream& stream,
                         Counter* total);
void count_unwritten_words(const unsigned char* buffer, device::ByteRange range, const RandomStream& stream,
                           Counter* total);
void count_changed_elements(const float* input, const device::InputRange& range, Counter* total);
void count_wrong(const float* actual, const float* expected, std::uint64_t elements, double limit,
                 Counter* total);

// `parts` has room for comparison_parts of them; merged in their order they are the comparison.
void compare(const float* actual, const float* expected, std::uint64_t elements, Comparison* parts);

}  // namespace kgrade::cuda
