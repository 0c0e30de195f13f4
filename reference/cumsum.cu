// Running sum of a vector.
#include "ops/scan.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t N) {
  ops::scan<ops::Add, ops::Forward>(ops::Elements{input}, output, ops::rows_of(1, N));
}
