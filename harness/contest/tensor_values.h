// Tensors' elements on the host: read from and written to lent buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contest/lease.h"
#include "device/device.h"

namespace kgrade {

// The elements of one tensor, in C order, as floats whatever their stored type: a float holds every value of
// the narrower types, and integers up to 2^24 in size.
using Values = std::vector<float>;

// What is handled at a time, where a whole tensor would fill much of the host's memory.
inline constexpr std::size_t slice_elements = std::size_t{1} << 22;

Values read_values(Device& device, const Lease::Loaned& tensor);

// From element `first` of the tensor on; as many as there are values.
void write_values(Device& device, const Lease::Loaned& tensor, std::uint64_t first, const Values& values);

}  // namespace kgrade
