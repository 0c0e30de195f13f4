// 1D convolution of one signal with one kernel, padded so that the signal keeps its length.
#include "ops/conv.cuh"

extern "C" void solution(const ops::element* A, const ops::element* B, ops::element* C, size_t N, size_t K) {
  ops::ConvShape shape = ops::conv_shape(1, 1, 1, 1);
  shape.width = ops::conv_axis(N, K, 1, K / 2, 1);
  ops::conv(A, B, C, shape);
}
