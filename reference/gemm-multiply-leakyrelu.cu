// A product, multiplied by a third matrix element by element, and a leaky ReLU.
#include "ops/product.cuh"
#include "ops/product_finish.cuh"

extern "C" void solution(const ops::element* A, const ops::element* B, const ops::element* C, float alpha,
                         ops::element* output, size_t M, size_t N, size_t K) {
  const auto columns = static_cast<std::int64_t>(N);
  ops::product(ops::row_major(A, K), ops::row_major(B, N), output, ops::product_shape(M, N, K),
               ops::FactorLeakyRelu{C, columns, static_cast<ops::accumulator>(alpha)});
}
