// Shapes that are stored in a tensor on the device.
#pragma once

#include "ops/sets.cuh"

namespace ops {

struct TensorShape {
  static constexpr std::size_t most_axes = 8;
  std::size_t extents[most_axes];
  std::size_t axes;

  // The product of the extents of the axes from `first` to before `end`.
  std::int64_t positions(std::size_t first, std::size_t end) const {
    std::int64_t product = 1;
    for (std::size_t axis = first; axis < end; ++axis) product *= static_cast<std::int64_t>(extents[axis]);
    return product;
  }

  std::int64_t elements() const { return positions(0, axes); }

  // The elements along one axis belong together.
  Sets along(std::size_t axis) const {
    Sets sets;
    sets.outer = positions(0, axis);
    sets.length = positions(axis, axis + 1);
    sets.inner = positions(axis + 1, axes);
    return sets;
  }
};

// `Integer`: int or std::size_t. Waits for the device, since the host has to know how many blocks to launch.
template <class Integer>
TensorShape read_shape(const Integer* shape, std::size_t axes) {
  TensorShape result = {};
  result.axes = axes < TensorShape::most_axes ? axes : TensorShape::most_axes;
  Integer extents[TensorShape::most_axes];
  cudaMemcpy(extents, shape, result.axes * sizeof(Integer), cudaMemcpyDeviceToHost);
  for (std::size_t axis = 0; axis < result.axes; ++axis) result.extents[axis] = static_cast<std::size_t>(extents[axis]);
  return result;
}

}  // namespace ops
