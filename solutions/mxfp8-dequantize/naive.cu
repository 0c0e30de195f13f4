// One thread decodes one number.
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

__device__ float fp8(unsigned char byte) {
  __nv_fp8_e4m3 number;
  number.__x = byte;
  return float(number);
}

__device__ float power_of_2(unsigned char scale) { return ldexpf(1.0f, scale - 127); }

__global__ void decode(const uint8_t* q, const uint8_t* scale, float* out, size_t rows, size_t columns) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  out[i] = fp8(q[i]) * power_of_2(scale[i / 32]);
}

extern "C" void solution(const uint8_t* q, const uint8_t* scale, float* out, size_t m, size_t k) {
  decode<<<(unsigned)((m * k + 255) / 256), 256>>>(q, scale, out, m, k);
}
