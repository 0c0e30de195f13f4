// An insertion sort by each thread, of one row.
#include <cuda_runtime.h>

__global__ void order(const float* x, int* indices, size_t rows, size_t columns) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * columns;
  indices += row * columns;
  for (size_t i = 0; i < columns; ++i) {
    size_t at = i;
    for (; at > 0 && x[indices[at - 1]] > x[i]; --at) indices[at] = indices[at - 1];
    indices[at] = (int)i;
  }
}

extern "C" void solution(const float* x, int* indices, size_t rows, size_t columns) {
  order<<<(unsigned)((rows + 63) / 64), 64>>>(x, indices, rows, columns);
}
