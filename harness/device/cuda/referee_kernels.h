// The referee's own kernels, behind plain functions so that only one file needs nvcc. Pointers are device
// pointers; each function has finished on the device when it returns and throws on a CUDA error.
#pragma once

#include "device/element_operations.h"

namespace kgrade::cuda {

void fill_random_bytes(unsigned char* buffer, device::ByteRange range, const RandomStream& stream);
std::uint64_t count_changed_bytes(const unsigned char* buffer, device::ByteRange range,
                                  const RandomStream& stream);
std::uint64_t count_unwritten_words(const unsigned char* buffer, device::ByteRange range,
                                    const RandomStream& stream);
void fill_input(float* input, const device::InputRange& range);
std::uint64_t count_changed_elements(const float* input, const device::InputRange& range);
Comparison compare(const float* actual, const float* expected, std::uint64_t elements);
std::uint64_t count_wrong(const float* actual, const float* expected, std::uint64_t elements, double limit);

}  // namespace kgrade::cuda
