// The normalisations as functions that a test can look up. Pointers are device pointers.
#include "operator_arguments.h"
#include "ops/norm.cuh"

namespace {

ops::NormShape shape_of(const kgrade::test::NormArguments& arguments) {
  ops::NormShape shape;
  shape.batch = arguments.batch;
  shape.channels = arguments.channels;
  shape.positions = arguments.positions;
  return shape;
}

}  // namespace

extern "C" int batch_norm(const kgrade::test::NormArguments* arguments, const double* input,
                          const float* weight, const float* bias, double* output) {
  ops::batch_norm(input, weight, bias, output, shape_of(*arguments), arguments->epsilon);
  return cudaDeviceSynchronize();
}

extern "C" int group_norm(const kgrade::test::NormArguments* arguments, const double* input,
                          const float* weight, const float* bias, double* output) {
  ops::group_norm(input, weight, bias, output, shape_of(*arguments), arguments->groups, arguments->epsilon);
  return cudaDeviceSynchronize();
}
