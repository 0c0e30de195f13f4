// One thread computes one element of the product, a block of numbers after the other.
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ float fp8(unsigned char byte) {
  __nv_fp8_e4m3 number;
  number.__x = byte;
  return float(number);
}

__device__ float power_of_2(unsigned char scale) { return ldexpf(1.0f, scale - 127); }

__device__ size_t scale_place(size_t row, size_t block, size_t blocks) {
  const size_t tile = row / 128 * ((blocks + 3) / 4) + block / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

__global__ void multiply(const uint8_t* q_a, const uint8_t* scale_a, const uint8_t* q_b,
                         const uint8_t* scale_b, float* c, size_t m, size_t n, size_t k) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= m * n) return;
  const size_t i = index / n, j = index % n;
  float sum = 0;
  for (size_t block = 0; block < k / 32; ++block) {
    float part = 0;
    for (size_t l = 32 * block; l < 32 * (block + 1); ++l) part += fp8(q_a[i * k + l]) * fp8(q_b[j * k + l]);
    sum += part * power_of_2(scale_a[scale_place(i, block, k / 32)]) *
           power_of_2(scale_b[scale_place(j, block, k / 32)]);
  }
  c[index] = sum;
}

extern "C" void solution(const uint8_t* q_a, const uint8_t* scale_a, const uint8_t* q_b,
                         const uint8_t* scale_b, float* c, size_t m, size_t n, size_t k) {
  multiply<<<(unsigned)((m * n + 255) / 256), 256>>>(q_a, scale_a, q_b, scale_b, c, m, n, k);
}
