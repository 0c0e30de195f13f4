// One thread computes one element of one product.
#include <cuda_runtime.h>

__global__ void multiply(const float* a, const float* b, float* c, size_t batch_size, size_t m, size_t n,
                         size_t k) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= batch_size * m * n) return;
  const size_t j = index % n;
  const size_t i = index / n % m;
  const size_t sample = index / n / m;
  float sum = 0;
  for (size_t p = 0; p < k; ++p) sum += a[(sample * m + i) * k + p] * b[(sample * k + p) * n + j];
  c[index] = sum;
}

extern "C" void solution(const float* a, const float* b, float* output, size_t batch_size, size_t m, size_t n,
                         size_t k) {
  const size_t count = batch_size * m * n;
  multiply<<<(unsigned)((count + 255) / 256), 256>>>(a, b, output, batch_size, m, n, k);
}
