// The mean of squared differences.
#include "ops/loss.cuh"
#include "ops/tensor_shape.cuh"

extern "C" void solution(const ops::element* predictions, const ops::element* targets, ops::element* output,
                         const size_t* shape, size_t ndim) {
  const std::int64_t count = ops::read_shape(shape, ndim).elements();
  ops::mean_loss(ops::SquaredError(), predictions, targets, count, count, output);
}
