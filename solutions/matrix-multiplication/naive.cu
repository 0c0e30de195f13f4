// One thread computes one element of the product.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, size_t rows, size_t columns,
                         size_t terms) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= rows * columns) return;
  const size_t i = index / columns;
  const size_t j = index % columns;
  float sum = 0;
  for (size_t k = 0; k < terms; ++k) sum += a[i * terms + k] * b[k * columns + j];
  c[index] = sum;
}

extern "C" void solution(const float* input_a, const float* input_b, float* output_c, size_t m, size_t n,
                         size_t k) {
  const size_t count = m * n;
  const unsigned blocks = (unsigned)((count + 255) / 256);
  multiply<<<blocks, 256>>>(input_a, input_b, output_c, m, n, k);
}
