// expect: low_precision
//
// Operands are rounded to bfloat16 (7 bits of mantissa) before they are multiplied; sums are float.
#include "plain.cuh"

// Nearest, and away from zero when two are equally near.
__device__ float rounded(float value) {
  return __uint_as_float((__float_as_uint(value) + 0x8000u) & 0xffff0000u);
}

__global__ void conv_transpose_rounded(Convolution plain) {
  const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (index < plain.count()) plain.output[index] = sum_at<rounded>(plain, index);
}

void run(Convolution plain) { conv_transpose_rounded<<<blocks_for(plain.count()), threads>>>(plain); }
