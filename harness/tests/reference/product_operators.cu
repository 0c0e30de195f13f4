// The product of matrices as functions that a test can look up. Pointers are device pointers.
#include "operator_arguments.h"
#include "ops/product.cuh"

namespace {

using kgrade::test::ProductArguments;
using kgrade::test::Strides;

ops::Matrix<float> matrix(const float* data, const Strides& strides) {
  return {data, strides.row, strides.column, strides.batch};
}

ops::ProductShape shape_of(const ProductArguments& arguments) {
  return {arguments.rows, arguments.columns, arguments.terms, arguments.batches};
}

struct Placed {
  __device__ ops::accumulator operator()(ops::accumulator product, std::int64_t row,
                                         std::int64_t column) const {
    return product + static_cast<ops::accumulator>(1000 * row + column);
  }
};

}  // namespace

extern "C" int product(const ProductArguments* arguments, const float* a, const float* b,
                       ops::accumulator* output) {
  ops::product(matrix(a, arguments->a), matrix(b, arguments->b), output, shape_of(*arguments));
  return cudaDeviceSynchronize();
}

// Adds 1000 * row + column to each element.
extern "C" int placed_product(const ProductArguments* arguments, const float* a, const float* b,
                              ops::accumulator* output) {
  ops::product(matrix(a, arguments->a), matrix(b, arguments->b), output, shape_of(*arguments), Placed());
  return cudaDeviceSynchronize();
}
