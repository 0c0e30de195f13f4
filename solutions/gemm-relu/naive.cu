// One thread computes one element of the product.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, size_t rows, size_t columns, size_t terms,
                         const float* bias) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= rows * columns) return;
  const size_t i = index / columns;
  const size_t j = index % columns;
  float sum = 0;
  for (size_t k = 0; k < terms; ++k) sum += a[i * terms + k] * b[j * terms + k];
  c[index] = fmaxf(sum + bias[j], 0.0f);
}

extern "C" void solution(const float* A, const float* W, const float* b, float* C, size_t B, size_t N,
                         size_t M) {
  const size_t count = B * M;
  const unsigned blocks = (unsigned)((count + 255) / 256);
  multiply<<<blocks, 256>>>(A, W, C, B, M, N, b);
}
