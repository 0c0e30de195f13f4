// Max pooling of one tensor with 3 axes.
#include "ops/pool.cuh"

extern "C" void solution(const ops::element* input, int kernel_size, int stride, int padding, int dilation,
                         ops::element* output, size_t H, size_t W, size_t D) {
  const ops::PoolShape shape = ops::pool_shape(1, {H, W, D}, kernel_size, stride, padding, dilation);
  ops::max_pool(input, output, shape);
}
