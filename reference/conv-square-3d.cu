// 3D convolution of one cube with one cubic kernel, padded so that the cube keeps its size.
#include "ops/conv.cuh"

extern "C" void solution(const ops::element* A, const ops::element* B, ops::element* C, size_t size, size_t K) {
  ops::ConvShape shape = ops::conv_shape(1, 1, 1, 1);
  shape.depth = shape.height = shape.width = ops::conv_axis(size, K, 1, K / 2, 1);
  ops::conv(A, B, C, shape);
}
