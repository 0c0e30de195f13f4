// Pooling and activations as functions that a test can look up. Pointers are device pointers.
#include "operator_arguments.h"
#include "ops/activation.cuh"
#include "ops/pool.cuh"

namespace {

ops::PoolShape shape_of(const kgrade::test::PoolArguments& arguments) {
  ops::PoolShape shape;
  shape.planes = arguments.planes;
  shape.height = ops::pool_axis(arguments.height, arguments.window, arguments.stride, 0, 1);
  shape.width = ops::pool_axis(arguments.width, arguments.window, arguments.stride, 0, 1);
  return shape;
}

}  // namespace

extern "C" void max_pool_extents(const kgrade::test::PoolArguments* arguments, int* extents) {
  const ops::PoolShape shape = shape_of(*arguments);
  extents[0] = static_cast<int>(shape.height.output());
  extents[1] = static_cast<int>(shape.width.output());
}

extern "C" int max_pool(const kgrade::test::PoolArguments* arguments, const double* input, double* output) {
  ops::max_pool(input, output, shape_of(*arguments));
  return cudaDeviceSynchronize();
}

extern "C" int relu(const double* input, double* output, std::int64_t count) {
  ops::activation(ops::Relu(), input, output, count);
  return cudaDeviceSynchronize();
}

extern "C" int sigmoid(const double* input, double* output, std::int64_t count) {
  ops::activation(ops::Sigmoid(), input, output, count);
  return cudaDeviceSynchronize();
}

extern "C" int hyperbolic_tangent(const double* input, double* output, std::int64_t count) {
  ops::activation(ops::Tanh(), input, output, count);
  return cudaDeviceSynchronize();
}
