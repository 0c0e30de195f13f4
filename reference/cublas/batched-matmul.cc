// Products of the matrices of a batch, by cuBLAS.
#include "baseline/multiply.h"

extern "C" void solution(const float* a, const float* b, float* output, size_t batch_size, size_t m, size_t n,
                         size_t k) {
  baseline::multiply(baseline::product_of(m, n, k, batch_size), a, b, output);
}
