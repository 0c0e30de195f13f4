// A tensor of three axes times a matrix, by cuBLAS: its first two axes are the rows of one matrix.
#include "baseline/multiply.h"

extern "C" void solution(const float* A, const float* B, float* C, size_t n, size_t m, size_t k, size_t l) {
  baseline::multiply(baseline::product_of(n * m, l, k), A, B, C);
}
