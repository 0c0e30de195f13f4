#include "soundness/elements.h"

namespace kgrade {

std::uint64_t element_bytes(const Problem& /*problem*/) { return sizeof(float); }

Values read_values(Device& device, const Lease::Loaned& tensor) {
  Values values(static_cast<std::size_t>(tensor.tensor->elements));
  device.read(*tensor.buffer, tensor.begin, values.data(), values.size() * sizeof(float));
  return values;
}

void write_values(Device& device, const Lease::Loaned& tensor, std::uint64_t first, const Values& values) {
  device.write(*tensor.buffer, tensor.begin + first * sizeof(float), values.data(),
               values.size() * sizeof(float));
}

}  // namespace kgrade
