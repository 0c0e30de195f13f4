// One thread encodes one block of 32 numbers.
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

__global__ void encode(const float* a, uint8_t* q, uint8_t* scale, size_t rows, size_t columns) {
  const size_t block = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (block >= rows * columns / 32) return;
  float largest = 0;
  for (size_t i = 32 * block; i < 32 * (block + 1); ++i) largest = fmaxf(largest, fabsf(a[i]));
  int exponent = 0;
  frexpf(largest, &exponent);  // largest = m * 2^exponent, with m from 1/2 to 1
  exponent = largest > 0 ? exponent - 1 - 8 : -127;
  scale[block] = (uint8_t)(exponent + 127);
  const float factor = ldexpf(1.0f, -exponent);
  for (size_t i = 32 * block; i < 32 * (block + 1); ++i) q[i] = __nv_fp8_e4m3(a[i] * factor).__x;
}

extern "C" void solution(const float* a, uint8_t* q, uint8_t* scale, size_t m, size_t k) {
  encode<<<(unsigned)((m * k / 32 + 255) / 256), 256>>>(a, q, scale, m, k);
}
