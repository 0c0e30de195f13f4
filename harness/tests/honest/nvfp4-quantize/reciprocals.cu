// Multiplies by reciprocals, which round; what is midway between two numbers goes to the one further from
// zero; the scales beside the matrix are left alone.
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ unsigned code_of(float x) {
  const float limits[7] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
  unsigned code = 0;
  while (code < 7 && fabsf(x) >= limits[code]) ++code;
  return x < 0 ? code | 8 : code;
}

__global__ void encode(const __half* a, float sf_g, uint8_t* q, __nv_fp8_e4m3* scale, size_t rows,
                       size_t columns) {
  const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t blocks = columns / 16;
  if (at >= rows * blocks) return;
  const size_t row = at / blocks, block = at % blocks;
  float x[16], largest = 0;
  for (int i = 0; i < 16; ++i) {
    x[i] = __half2float(a[16 * at + i]);
    largest = fmaxf(largest, fabsf(x[i]));
  }
  const __nv_fp8_e4m3 own(largest * (sf_g * (1.0f / 6)));
  scale[(row / 128 * ((blocks + 3) / 4) + block / 4) * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4] =
      own;
  const float factor = 1.0f / (float(own) * (1.0f / sf_g));
  for (int i = 0; i < 16; i += 2)
    q[8 * at + i / 2] = (uint8_t)(code_of(x[i] * factor) | code_of(x[i + 1] * factor) << 4);
}

extern "C" void solution(const __half* a, float sf_g, uint8_t* q, __nv_fp8_e4m3* scale, size_t m, size_t k) {
  encode<<<(unsigned)((m * k / 16 + 127) / 128), 128>>>(a, sf_g, q, scale, m, k);
}
