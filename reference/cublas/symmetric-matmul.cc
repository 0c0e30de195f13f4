// Product of two symmetric matrices, by cuBLAS.
#include "baseline/multiply.h"

extern "C" void solution(const float* input_a, const float* input_b, float* output_c, size_t n) {
  baseline::multiply(baseline::product_of(n, n, n), input_a, input_b, output_c);
}
