// A diagonal matrix times a matrix.
#include "ops/scale.cuh"

extern "C" void solution(const ops::element* diagonal_a, const ops::element* input_b, ops::element* output_c,
                         size_t n, size_t m) {
  ops::scale(ops::RowFactors{diagonal_a}, input_b, output_c, n, m);
}
