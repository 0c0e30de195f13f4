// A product with the transpose of weights, a bias, swish, and a factor.
#include "ops/product.cuh"
#include "ops/product_finish.cuh"

extern "C" void solution(const ops::element* input_matrix, const ops::element* weight_matrix,
                         const ops::element* bias, float scaling_factor, ops::element* output,
                         size_t batch_size, size_t in_features, size_t out_features) {
  ops::product(ops::row_major(input_matrix, in_features),
               ops::transposed(ops::row_major(weight_matrix, in_features)), output,
               ops::product_shape(batch_size, out_features, in_features),
               ops::BiasSwish{bias, static_cast<ops::accumulator>(scaling_factor)});
}
