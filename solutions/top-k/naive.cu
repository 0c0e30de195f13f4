// Each thread keeps the largest elements of one row, sorted. Of equal elements the last comes first.
#include <cuda_runtime.h>

__global__ void choose(const float* x, float* values, int* indices, size_t rows, size_t columns, size_t k) {
  const size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * columns;
  values += row * k;
  indices += row * k;
  for (size_t i = 0; i < columns; ++i) {
    const size_t kept = i < k ? i : k;
    if (kept == k && x[i] < values[k - 1]) continue;
    size_t at = kept < k ? kept : k - 1;
    for (; at > 0 && values[at - 1] <= x[i]; --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = x[i];
    indices[at] = (int)i;
  }
}

extern "C" void solution(const float* x, float* values, int* indices, size_t rows, size_t columns, size_t k) {
  choose<<<(unsigned)((rows + 63) / 64), 64>>>(x, values, indices, rows, columns, k);
}
