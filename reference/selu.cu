// SELU.
#include "ops/activation.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t n, size_t m) {
  ops::activation(ops::Selu(), input, output, static_cast<std::int64_t>(n * m));
}
