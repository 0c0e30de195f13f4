// Log-Softmax.
#include "ops/softmax.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t M, size_t N) {
  ops::Sets rows;
  rows.outer = static_cast<std::int64_t>(M);
  rows.run = static_cast<std::int64_t>(N);
  ops::softmax(ops::LogSoftmax(), input, output, rows);
}
