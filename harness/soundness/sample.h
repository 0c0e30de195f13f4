// Samples a tensor: chooses elements that represent all of them if reading all would take too long.
#pragma once

#include <cstdint>
#include <vector>

namespace kgrade {

// The sample consists of some places along each axis, combined with each other. So elements that are equal
// along an axis are equal in the sample too. The places are spread evenly: one at an irregular position in
// each of several equal parts of the axis. A shape always has the same sample.
struct TensorSample {
  std::vector<std::int64_t> shape;  // of the sample, which is row-major like the tensor
  // The sample is read in runs of `run` adjacent elements. These are the runs' first elements.
  std::vector<std::uint64_t> begins;
  std::uint64_t run = 0;  // elements
};

// A sample of at most `most` elements. All elements if there are no more.
TensorSample sample_of(const std::vector<std::int64_t>& shape, std::uint64_t most);

}  // namespace kgrade
