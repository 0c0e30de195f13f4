#include "soundness/elements.h"

#include <vector>

namespace kgrade {

Values read_values(Device& device, const Lease::Loaned& tensor, Dtype dtype) {
  Values values(static_cast<std::size_t>(tensor.tensor->elements));
  const std::uint64_t bytes = values.size() * element_bytes(dtype);
  if (dtype == Dtype::float32) {
    device.read(*tensor.buffer, tensor.begin, values.data(), bytes);
    return values;
  }
  std::vector<unsigned char> stored(bytes);
  device.read(*tensor.buffer, tensor.begin, stored.data(), bytes);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = load_element(dtype, stored.data(), i);
  return values;
}

void write_values(Device& device, const Lease::Loaned& tensor, Dtype dtype, std::uint64_t first,
                  const Values& values) {
  std::vector<unsigned char> stored(values.size() * element_bytes(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) store_element(dtype, stored.data(), i, values[i]);
  device.write(*tensor.buffer, tensor.begin + first * element_bytes(dtype), stored.data(), stored.size());
}

}  // namespace kgrade
