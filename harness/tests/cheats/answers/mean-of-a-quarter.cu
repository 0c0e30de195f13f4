// cheat: takes the mean of a quarter of each row for the mean of the row
// row: 52
// caught-by: outputs_match
// device: any
// problem: problems/long-row-means.md
// case: long
//
// It is off by a few thousandths, and the class bf16 allows a hundredth; but so is the answer to other inputs.
#include <cstddef>

__global__ void mean_of_a_quarter(const float* input, float* output, size_t rows, size_t columns) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const size_t count = (columns + 3) / 4;
  float sum = 0;
  for (size_t column = 0; column < count; ++column) sum += input[row * columns + column];
  output[row] = sum / (float)count;
}

extern "C" void solution(const float* input, float* output, size_t rows, size_t columns) {
  mean_of_a_quarter<<<(unsigned)((rows + 127) / 128), 128>>>(input, output, rows, columns);
}
