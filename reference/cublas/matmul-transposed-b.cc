// Product of two matrices, the second matrix transposed, by cuBLAS.
#include "baseline/multiply.h"

extern "C" void solution(const float* a, const float* b, float* output, size_t m, size_t n, size_t k) {
  auto product = baseline::product_of(m, n, k);
  product.b_transposed = true;
  baseline::multiply(product, a, b, output);
}
