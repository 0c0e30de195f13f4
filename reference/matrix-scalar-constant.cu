// A matrix times a constant.
#include "ops/scale.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t m, size_t n) {
  ops::scale(ops::OneFactor{static_cast<ops::accumulator>(3.14)}, input, output, m, n);
}
