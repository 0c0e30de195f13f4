// Average pooling of every channel of every sample.
#include "ops/pool.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t batch_size, size_t channels,
                         size_t length, size_t kernel_size, size_t stride, size_t padding) {
  ops::PoolShape shape;
  shape.planes = static_cast<std::int64_t>(batch_size * channels);
  shape.width = ops::pool_axis(static_cast<std::int64_t>(length), kernel_size, stride, padding, size_t{1});
  ops::average_pool(input, output, shape);
}
