// Elements of lent tensors as values on the host, and back.
#pragma once

#include "contest/lease.h"
#include "device/device.h"
#include "soundness/values.h"

namespace kgrade {

// `dtype`: how the lease stores them.
Values read_values(Device& device, const Lease::Loaned& tensor, Dtype dtype);

// From element `first` of the tensor on; as many as there are values.
void write_values(Device& device, const Lease::Loaned& tensor, Dtype dtype, std::uint64_t first,
                  const Values& values);

}  // namespace kgrade
