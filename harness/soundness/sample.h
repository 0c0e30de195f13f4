// Some elements of a tensor that stand for all of them, where reading all would take too long.
#pragma once

#include <cstdint>
#include <vector>

namespace kgrade {

// A box of the tensor's elements: some places along each axis, so that what is the same all along an axis is
// the same in the sample too. They are spread evenly, one in each of as many equal parts of the axis, at a
// place within the part that has no period; always the same for a shape.
struct TensorSample {
  std::vector<std::int64_t> shape;  // of the sample, which is row-major as the tensor is
  // It is read in runs of elements that lie together in the tensor.
  std::vector<std::uint64_t> begins;
  std::uint64_t run = 0;  // elements
};

// At most `most` elements; all where there are no more.
TensorSample sample_of(const std::vector<std::int64_t>& shape, std::uint64_t most);

}  // namespace kgrade
