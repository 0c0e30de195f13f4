// The sum of a window around each element: a convolution with a kernel of ones.
#include "ops/window.cuh"

extern "C" void solution(const ops::element* input, size_t W, ops::element* output, size_t N) {
  ops::window_sum(input, output, static_cast<std::int64_t>(N), static_cast<std::int64_t>(W));
}
