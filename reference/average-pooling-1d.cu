// Average pooling of every channel of every sample.
#include "ops/pool.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t batch_size, size_t channels,
                         size_t length, size_t kernel_size, size_t stride, size_t padding) {
  const ops::PoolShape shape = ops::pool_shape(batch_size * channels, {length}, kernel_size, stride, padding);
  ops::average_pool(input, output, shape);
}
