// Running sum of rows.
#include "ops/scan.cuh"

extern "C" void solution(const ops::element* input, ops::element* output, size_t rows, size_t columns) {
  ops::scan<ops::Add, ops::Forward>(ops::Elements{input}, output, ops::rows_of(rows, columns));
}
