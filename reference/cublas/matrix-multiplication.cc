// Product of two matrices, by cuBLAS.
#include "baseline/multiply.h"

extern "C" void solution(const float* input_a, const float* input_b, float* output_c, size_t m, size_t n,
                         size_t k) {
  baseline::multiply(baseline::product_of(m, n, k), input_a, input_b, output_c);
}
