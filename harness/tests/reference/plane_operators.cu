// Pooling and activations as functions that a test can look up. Pointers are device pointers.
#include "operator_arguments.h"
#include "ops/activation.cuh"
#include "ops/pool.cuh"

namespace {

ops::PoolShape shape_of(const kgrade::test::PoolArguments& arguments) {
  ops::PoolShape shape;
  shape.planes = arguments.planes;
  shape.height = arguments.height;
  shape.width = arguments.width;
  shape.window = arguments.window;
  shape.stride = arguments.stride;
  return shape;
}

}  // namespace

extern "C" void max_pool_extents(const kgrade::test::PoolArguments* arguments, int* extents) {
  const ops::PoolShape shape = shape_of(*arguments);
  extents[0] = shape.out_height();
  extents[1] = shape.out_width();
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
