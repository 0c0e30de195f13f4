#include "contest/tensor_values.h"

#include <algorithm>

#include "problem/scalar_type.h"

namespace kgrade {
namespace {

// Adds the integers of a slice, from element `first` of the values on.
void add_integers(Dtype dtype, const unsigned char* stored, std::size_t first, std::size_t count,
                  Values& values) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t value = load_integer(dtype, stored, i);
    if (values.integers.empty()) {
      if (is_exact_in_float(value)) continue;
      values.integers.resize(values.size());
      for (std::size_t k = 0; k < first + i; ++k) values.integers[k] = static_cast<std::int64_t>(values[k]);
    }
    values.integers[first + i] = value;
  }
}

// Reads `count` elements, from number `begin` of the tensor on, into the values from number `place` on.
void read_run(Device& device, const Lease::Loaned& tensor, std::uint64_t begin, std::size_t place,
              std::size_t count, Values& values) {
  const Dtype dtype = tensor.dtype;
  const std::uint64_t from = tensor.begin + begin * element_bytes(dtype);
  if (dtype == Dtype::float32)
    return device.read(*tensor.buffer, from, values.data() + place, count * sizeof(float));
  std::vector<unsigned char> stored;
  for (std::size_t first = 0; first < count; first += slice_elements) {
    const std::size_t slice = std::min(slice_elements, count - first);
    stored.resize(slice * element_bytes(dtype));
    device.read(*tensor.buffer, from + first * element_bytes(dtype), stored.data(), stored.size());
    for (std::size_t i = 0; i < slice; ++i) values[place + first + i] = load_element(dtype, stored.data(), i);
    if (is_integer(dtype) && element_bytes(dtype) > 2)
      add_integers(dtype, stored.data(), place + first, slice, values);
  }
}

}  // namespace

Values read_values(Device& device, const Lease::Loaned& tensor) {
  const std::uint64_t begin = 0;
  return read_runs(device, tensor, {&begin, 1}, static_cast<std::size_t>(tensor.tensor->elements));
}

Values read_runs(Device& device, const Lease::Loaned& tensor, std::span<const std::uint64_t> begins,
                 std::size_t count) {
  Values values(begins.size() * count);
  for (std::size_t run = 0; run < begins.size(); ++run)
    read_run(device, tensor, begins[run], run * count, count, values);
  return values;
}

void write_values(Device& device, const Lease::Loaned& tensor, std::uint64_t first, const Values& values) {
  const Dtype dtype = tensor.dtype;
  std::vector<unsigned char> stored;
  for (std::size_t begin = 0; begin < values.size(); begin += slice_elements) {
    const std::size_t count = std::min(slice_elements, values.size() - begin);
    stored.resize(count * element_bytes(dtype));
    for (std::size_t i = 0; i < count; ++i) store_element(dtype, stored.data(), i, values[begin + i]);
    device.write(*tensor.buffer, tensor.begin + (first + begin) * element_bytes(dtype), stored.data(),
                 stored.size());
  }
}

// Writes one slice at a time, so that a large input takes little host memory.
void write_edit(Device& device, const std::vector<Lease::Loaned>& tensors, const InputEdit& edit) {
  const auto write = [&](std::uint64_t first, const Values& values) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (i == edit.tensor || tensors[i].tensor->begins_as == edit.tensor)
        write_values(device, tensors[i], first, values);
    }
  };
  if (!edit.change) return write(edit.first, edit.values);
  for (std::uint64_t done = 0; done < edit.count; done += slice_elements) {
    const std::uint64_t first = edit.first + done;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(slice_elements, edit.count - done));
    Values slice = read_runs(device, tensors.at(edit.tensor), {&first, 1}, count);
    edit.change(first, slice);
    write(first, slice);
  }
}

}  // namespace kgrade
