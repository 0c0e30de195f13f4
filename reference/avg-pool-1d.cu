// Average pooling of one tensor with 1 axis.
#include "ops/pool.cuh"

extern "C" void solution(const ops::element* input, int kernel_size, int stride, int padding,
                         ops::element* output, size_t H) {
  const ops::PoolShape shape = ops::pool_shape(1, {H}, kernel_size, stride, padding);
  ops::average_pool(input, output, shape);
}
