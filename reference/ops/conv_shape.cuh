// The shapes of convolutions and transposed convolutions.
//
// There is one definition for 1, 2 and 3 dimensions: an unused axis has extent 1 and kernel 1, and so changes
// nothing. Extents of one axis and positions of one plane must fit an int; offsets into tensors have 64 bits.
#pragma once

#include "ops/types.cuh"

namespace ops {

// The parameters of one spatial axis.
struct Axis {
  int input = 1;
  int output = 1;
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  int dilation = 1;
};

struct ConvShape {
  std::int64_t batch = 1;
  int in_channels = 1;
  int out_channels = 1;
  int groups = 1;
  Axis depth;
  Axis height;
  Axis width;

  __host__ __device__ int input_positions() const { return depth.input * height.input * width.input; }
  __host__ __device__ int output_positions() const { return depth.output * height.output * width.output; }
  __host__ __device__ int kernel_elements() const { return depth.kernel * height.kernel * width.kernel; }
  __host__ __device__ int in_channels_of_a_group() const { return in_channels / groups; }
  __host__ __device__ int out_channels_of_a_group() const { return out_channels / groups; }
  __host__ __device__ std::int64_t output_planes() const { return batch * out_channels; }
};

// A shape whose axes must still be set.
inline ConvShape conv_shape(std::size_t batch, std::size_t in_channels, std::size_t out_channels,
                            std::size_t groups) {
  ConvShape shape;
  shape.batch = static_cast<std::int64_t>(batch);
  shape.in_channels = static_cast<int>(in_channels);
  shape.out_channels = static_cast<int>(out_channels);
  shape.groups = static_cast<int>(groups);
  return shape;
}

}  // namespace ops
