#pragma once

#include <cuda_runtime.h>

#include "../problem_sizes.h"

__global__ void conv_transpose_kernel(const float* input, const float* kernel, float* output, ConvTranspose p) {
  const int out_height = p.height + p.kernel - 1, out_width = p.width + p.kernel - 1;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int channel = blockIdx.z;
  if (x >= out_width || y >= out_height) return;
  float sum = 0;
  for (int c = 0; c < p.in_channels; ++c) {
    for (int ky = 0; ky < p.kernel; ++ky) {
      const int in_y = y - ky;
      if (in_y < 0 || in_y >= p.height) continue;
      for (int kx = 0; kx < p.kernel; ++kx) {
        const int in_x = x - kx;
        if (in_x < 0 || in_x >= p.width) continue;
        sum += input[(c * p.height + in_y) * p.width + in_x] *
               kernel[((c * p.out_channels + channel) * p.kernel + ky) * p.kernel + kx];
      }
    }
  }
  output[(channel * out_height + y) * out_width + x] = sum;
}

inline void launch_conv_transpose(const float* input, const float* kernel, float* output, const ConvTranspose& p) {
  const dim3 block(32, 8);
  const dim3 grid((p.width + p.kernel - 1 + 31) / 32, (p.height + p.kernel - 1 + 7) / 8, p.out_channels);
  conv_transpose_kernel<<<grid, block>>>(input, kernel, output, p);
}
