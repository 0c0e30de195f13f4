// The one place that knows how the elements of a tensor are stored.
#pragma once

#include "contest/lease.h"
#include "device/device.h"
#include "soundness/values.h"

namespace kgrade {

// Bytes of one element under test.
std::uint64_t element_bytes(const Problem& problem);

Values read_values(Device& device, const Lease::Loaned& tensor);

// From element `first` of the tensor on; as many as there are values.
void write_values(Device& device, const Lease::Loaned& tensor, std::uint64_t first, const Values& values);

}  // namespace kgrade
