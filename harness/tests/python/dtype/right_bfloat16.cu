#include <cuda_bf16.h>

__global__ void linear(const __nv_bfloat16* x, const __nv_bfloat16* weight, const __nv_bfloat16* bias,
                       __nv_bfloat16* y, int features, int outputs) {
  const int row = blockIdx.x, column = threadIdx.x;
  float sum = __bfloat162float(bias[column]);
  for (int i = 0; i < features; ++i)
    sum += __bfloat162float(x[row * features + i]) * __bfloat162float(weight[column * features + i]);
  y[row * outputs + column] = __float2bfloat16(sum > 0 ? sum : 0.2f * sum);
}

extern "C" void solution(const __nv_bfloat16* x, const __nv_bfloat16* linear_weight,
                         const __nv_bfloat16* linear_bias, __nv_bfloat16* output) {
  linear<<<9, 16>>>(x, linear_weight, linear_bias, output, 24, 16);
}
