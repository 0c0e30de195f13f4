// The convolutions as functions that a test can look up. Pointers are device pointers.
#include "operator_arguments.h"
#include "ops/conv.cuh"
#include "ops/conv_transpose.cuh"

namespace {

using kgrade::test::ConvArguments;

ops::Axis conv_axis(const ConvArguments& a, int axis) {
  return ops::conv_axis(a.input[axis], a.kernel[axis], a.stride[axis], a.padding[axis], a.dilation[axis]);
}

ops::Axis conv_transpose_axis(const ConvArguments& a, int axis) {
  return ops::conv_transpose_axis(a.input[axis], a.kernel[axis], a.stride[axis], a.padding[axis],
                                  a.output_padding[axis], a.dilation[axis]);
}

ops::ConvShape shape_of(const ConvArguments& arguments, ops::Axis (*axis)(const ConvArguments&, int)) {
  ops::ConvShape shape =
      ops::conv_shape(arguments.batch, arguments.in_channels, arguments.out_channels, arguments.groups);
  shape.depth = axis(arguments, 0);
  shape.height = axis(arguments, 1);
  shape.width = axis(arguments, 2);
  return shape;
}

void write_extents(const ops::ConvShape& shape, int* extents) {
  extents[0] = shape.depth.output;
  extents[1] = shape.height.output;
  extents[2] = shape.width.output;
}

}  // namespace

extern "C" void conv_extents(const ConvArguments* arguments, int* extents) {
  write_extents(shape_of(*arguments, conv_axis), extents);
}

extern "C" int conv(const ConvArguments* arguments, const float* input, const float* weight, float* output) {
  ops::conv(input, weight, output, shape_of(*arguments, conv_axis));
  return cudaDeviceSynchronize();
}

extern "C" int conv_with_bias(const ConvArguments* arguments, const float* input, const float* weight,
                              const float* bias, float* output) {
  ops::conv(input, weight, output, shape_of(*arguments, conv_axis), bias);
  return cudaDeviceSynchronize();
}

extern "C" void conv_transpose_extents(const ConvArguments* arguments, int* extents) {
  write_extents(shape_of(*arguments, conv_transpose_axis), extents);
}

extern "C" int conv_transpose(const ConvArguments* arguments, const float* input, const float* weight,
                              float* output) {
  ops::conv_transpose(input, weight, output, shape_of(*arguments, conv_transpose_axis));
  return cudaDeviceSynchronize();
}
