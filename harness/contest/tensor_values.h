// Reads and writes tensors' elements in lent buffers, as values on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "contest/lease.h"
#include "device/device.h"

namespace kgrade {

// The elements of one tensor, in C order, as floats whatever their stored type: a float holds every value of
// the narrower types, and integers up to 2^24 in size.
struct Values : std::vector<float> {
  using std::vector<float>::vector;
  bool operator==(const Values&) const = default;

  // All elements as integers, if one of them is beyond 2^24; empty otherwise. Values of uint64_t from 2^63 on
  // become negative.
  std::vector<std::int64_t> integers;
};

// Changes a slice of an input's elements, which begins with element number `first`. Called for each slice, in
// order.
using ElementChange = std::function<void(std::uint64_t first, std::span<float> slice)>;

// A change to the drawn elements of an input, or of an output with drawn initial contents, from element
// `first` on. They are replaced by `values`, or `change` computes `count` elements from the drawn ones.
struct InputEdit {
  std::size_t tensor = 0;  // index into Case::tensors
  std::uint64_t first = 0;
  Values values = {};
  std::uint64_t count = 0;
  ElementChange change = {};
};

// How many elements are handled at a time, if a whole tensor would fill much of the host's memory.
inline constexpr std::size_t slice_elements = std::size_t{1} << 22;

Values read_values(Device& device, const Lease::Loaned& tensor);

// Reads only some elements of a tensor: runs of `count`, each from one of `begins` on, one run after another.
Values read_runs(Device& device, const Lease::Loaned& tensor, std::span<const std::uint64_t> begins,
                 std::size_t count);

// Writes the floats in `values`, from element `first` of the tensor on.
void write_values(Device& device, const Lease::Loaned& tensor, std::uint64_t first, const Values& values);

// Applies an edit to the inputs of one launch, in the order of Case::tensors. Outputs whose initial contents
// are the input are changed too.
void write_edit(Device& device, const std::vector<Lease::Loaned>& tensors, const InputEdit& edit);

}  // namespace kgrade
