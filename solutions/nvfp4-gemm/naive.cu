// One thread computes one element of the product, a block of numbers after the other.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ float fp4(unsigned code) {
  const float sizes[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
  return code & 8 ? -sizes[code & 7] : sizes[code & 7];
}

__device__ size_t scale_place(size_t row, size_t block, size_t blocks) {
  const size_t tile = row / 128 * ((blocks + 3) / 4) + block / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

__global__ void multiply(const uint8_t* q_a, const __nv_fp8_e4m3* scale_a, float sf_g_a, const uint8_t* q_b,
                         const __nv_fp8_e4m3* scale_b, float sf_g_b, __half* c, size_t m, size_t n,
                         size_t k) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= m * n) return;
  const size_t i = index / n, j = index % n;
  float sum = 0;
  for (size_t block = 0; block < k / 16; ++block) {
    float part = 0;
    for (size_t l = 16 * block; l < 16 * (block + 1); ++l)
      part +=
          fp4(q_a[(i * k + l) / 2] >> (i * k + l) % 2 * 4) * fp4(q_b[(j * k + l) / 2] >> (j * k + l) % 2 * 4);
    sum +=
        part * float(scale_a[scale_place(i, block, k / 16)]) * float(scale_b[scale_place(j, block, k / 16)]);
  }
  c[index] = __float2half(sum / sf_g_a / sf_g_b);
}

extern "C" void solution(const uint8_t* q_a, const __nv_fp8_e4m3* scale_a, float sf_g_a, const uint8_t* q_b,
                         const __nv_fp8_e4m3* scale_b, float sf_g_b, __half* c, size_t m, size_t n,
                         size_t k) {
  multiply<<<(unsigned)((m * n + 255) / 256), 256>>>(q_a, scale_a, sf_g_a, q_b, scale_b, sf_g_b, c, m, n, k);
}
