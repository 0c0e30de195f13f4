// The arguments that the tests pass to the functions of the .cu files in this folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kgrade::test {

// Depth, height, width.
using Extents = std::array<std::size_t, 3>;

struct ConvArguments {
  std::size_t batch = 1;
  std::size_t in_channels = 1;
  std::size_t out_channels = 1;
  std::size_t groups = 1;
  Extents input = {1, 1, 1};
  Extents kernel = {1, 1, 1};
  Extents stride = {1, 1, 1};
  Extents padding = {0, 0, 0};
  Extents output_padding = {0, 0, 0};  // of a transposed convolution
  Extents dilation = {1, 1, 1};
};

struct NormArguments {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t positions = 1;
  std::int64_t groups = 1;  // of a group norm
  double epsilon = 1e-5;
};

struct PoolArguments {
  std::int64_t planes = 1;
  int height = 1;
  int width = 1;
  int window = 2;
  int stride = 2;
};

// The strides of a product's operand, as in ops::Matrix.
struct Strides {
  std::int64_t row = 1;
  std::int64_t column = 1;
  std::int64_t batch = 0;
};

struct ProductArguments {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t terms = 1;
  std::int64_t batches = 1;
  Strides a;
  Strides b;
};

}  // namespace kgrade::test
