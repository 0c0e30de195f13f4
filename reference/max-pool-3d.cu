// Max pooling of one tensor with 3 axes.
#include "ops/pool.cuh"

extern "C" void solution(const ops::element* input, int kernel_size, int stride, int padding, int dilation, ops::element* output,
                         size_t H, size_t W, size_t D) {
  ops::PoolShape shape;
  shape.depth = ops::pool_axis(static_cast<std::int64_t>(H), kernel_size, stride, padding, dilation);
  shape.height = ops::pool_axis(static_cast<std::int64_t>(W), kernel_size, stride, padding, dilation);
  shape.width = ops::pool_axis(static_cast<std::int64_t>(D), kernel_size, stride, padding, dilation);
  ops::max_pool(input, output, shape);
}
