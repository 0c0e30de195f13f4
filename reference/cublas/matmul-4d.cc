// A tensor of four axes times a matrix, by cuBLAS: its first three axes are the rows of one matrix.
#include "baseline/multiply.h"

extern "C" void solution(const float* A, const float* B, float* C, size_t b, size_t i, size_t j, size_t l,
                         size_t k) {
  baseline::multiply(baseline::product_of(b * i * j, k, l), A, B, C);
}
