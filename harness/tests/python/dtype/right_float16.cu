#include <cuda_fp16.h>

__global__ void linear(const __half* x, const __half* weight, const __half* bias, __half* y, int features,
                       int outputs) {
  const int row = blockIdx.x, column = threadIdx.x;
  float sum = __half2float(bias[column]);
  for (int i = 0; i < features; ++i)
    sum += __half2float(x[row * features + i]) * __half2float(weight[column * features + i]);
  y[row * outputs + column] = __float2half(sum > 0 ? sum : 0.2f * sum);
}

extern "C" void solution(const __half* x, const __half* linear_weight, const __half* linear_bias,
                         __half* output) {
  linear<<<9, 16>>>(x, linear_weight, linear_bias, output, 24, 16);
}
