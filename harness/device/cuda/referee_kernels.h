// The referee's own kernels, behind plain functions so that only one file needs nvcc. Pointers are device
// pointers. Each function queues its work on the legacy default stream and returns; it throws on a CUDA
// error.
#pragma once

#include "device/element_errors.h"
#include "device/input_blocks.h"
#include "device/poison.h"

namespace kgrade::cuda {

using Counter = unsigned long long;

// The most partial results that compare() writes.
inline constexpr unsigned int comparison_parts = 1024;

// The two ranges around a tensor, or a whole buffer and an empty range.
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

// A look at a lent buffer after a call. Two counters receive the number of changed bytes around the tensor
// and the number of its changed elements.
struct BufferLook {
  PoisonedRanges zones;
  InputTensor input;  // null: the tensor is an output
  Counter* counters;
};

// These functions make as few launches as possible, because each one adds to the time of a candidate's call.
void fill_poison(const PoisonedRanges* ranges, std::size_t count);
void fill_inputs(const InputTensor* inputs, std::size_t count);
void inspect(const BufferLook* looks, std::size_t count);

// The next functions add to a counter in device memory.
void count_unwritten_elements(const unsigned char* buffer, device::ByteRange range,
                              const device::Poison& poison, Counter* total);
void count_wrong(const device::ComparedOutput& output, double limit, Counter* total);

// Counts the elements that do not pass by the rule of a problem's set. `largest_error` gets the bits of the
// largest error as a double, and must be zero before.
void count_by_rule(const device::ComparedOutput& output, double absolute, double relative, bool either,
                   Counter* failed, Counter* largest_error);

// Writes `result`. `parts` has room for comparison_parts results, and no other comparison may run. `finished`
// must be zero. The order of summation depends only on the number of elements, so every run gives the same
// bits.
void compare(const device::ComparedOutput& output, ElementErrors* parts, Counter* finished,
             ElementErrors* result);

// The device::sample_size(elements) elements of a tensor that device::sampled_element() chooses.
void sample(const unsigned char* tensor, std::uint64_t elements, Dtype dtype, double* values);

}  // namespace kgrade::cuda
