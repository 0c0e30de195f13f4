// Tensors' elements on the host: read from and written to lent buffers.
#pragma once

#include <cstddef>
#include <cstdint>
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

  // The same as they are, where one of them is an integer beyond that; empty otherwise. Of uint64_t those
  // from 2^63 on are negative.
  std::vector<std::int64_t> integers;
};

// What is handled at a time, where a whole tensor would fill much of the host's memory.
inline constexpr std::size_t slice_elements = std::size_t{1} << 22;

Values read_values(Device& device, const Lease::Loaned& tensor);

// Of a tensor only some elements: runs of `count` that begin at each of `begins`, one run after another.
Values read_runs(Device& device, const Lease::Loaned& tensor, std::span<const std::uint64_t> begins,
                 std::size_t count);

// From element `first` of the tensor on; as many as there are floats, which are what is written.
void write_values(Device& device, const Lease::Loaned& tensor, std::uint64_t first, const Values& values);

}  // namespace kgrade
