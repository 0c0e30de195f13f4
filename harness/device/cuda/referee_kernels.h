// The referee's own kernels, behind plain functions so that only one file needs nvcc. Pointers are device
// pointers. All of them queue their work on the legacy default stream and return; they throw on a CUDA error.
#pragma once

#include "device/element_operations.h"
#include "device/guard_fill.h"

namespace kgrade::cuda {

using Counter = unsigned long long;

// The most partial results that compare() writes.
inline constexpr unsigned int comparison_parts = 1024;

// What lies around a tensor, or a whole buffer and an empty range.
struct TwoRanges {
  device::ByteRange first;
  device::ByteRange second;
};

// The parts of a buffer that hold poison.
struct PoisonedRanges {
  unsigned char* buffer;
  TwoRanges ranges;
  device::Poison poison;
};

struct InputTensor {
  unsigned char* tensor = nullptr;
  device::InputRange range = {};
};

// A lent buffer after a call. Adds to two counters: changed bytes around the tensor, changed elements of it.
struct BufferLook {
  PoisonedRanges zones;
  InputTensor input;  // null: the tensor is an output
  Counter* counters;
};

// As few launches as can be: what each adds to a call of the candidate counts.
void fill_poison(const PoisonedRanges* ranges, std::size_t count);
void fill_inputs(const InputTensor* inputs, std::size_t count);
void inspect(const BufferLook* looks, std::size_t count);

// These add to a counter in device memory.
void count_unwritten_elements(const unsigned char* buffer, device::ByteRange range,
                              const device::Poison& poison, Counter* total);
void count_wrong(const device::ComparedOutput& output, double limit, Counter* total);

// Writes `result`. `parts` has room for comparison_parts of them, and no other comparison may run; `finished`
// is zero. The order of the sums depends on the number of elements alone, so the same bits come out on every
// run.
void compare(const device::ComparedOutput& output, ElementErrors* parts, Counter* finished,
             ElementErrors* result);

// The elements of a tensor that device::sampled_element() names, device::sample_size(elements) of them.
void sample(const unsigned char* tensor, std::uint64_t elements, Dtype dtype, double* values);

}  // namespace kgrade::cuda
