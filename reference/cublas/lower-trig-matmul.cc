// Product of two lower triangular matrices, by cuBLAS.
#include "baseline/multiply.h"

extern "C" void solution(const float* input_a, const float* input_b, float* output_c, size_t n) {
  auto product = baseline::product_of(n, n, n);
  product.a_triangle = baseline::Triangle::lower;
  baseline::multiply(product, input_a, input_b, output_c);
}
