# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Dynamic shared memory, constant memory, a warp's shuffles, loops to be unrolled, an environment variable for the build.
import os

import torch
from torch.utils.cpp_extension import load_inline

os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0")

source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#define MAX_TAPS 4096
__constant__ float taps[MAX_TAPS];

__global__ void convolve(const float* __restrict__ x, float* __restrict__ y, int C, int L, int K, int N, int s, int p) {
  extern __shared__ float row[];
  const int o = blockIdx.x, b = blockIdx.y;
  for (int i = threadIdx.x; i < C * L; i += blockDim.x) row[i] = __ldg(&x[b * C * L + i]);
  __syncthreads();
  const int lane = threadIdx.x & 31;
  for (int n = threadIdx.x / 32; n < N; n += blockDim.x / 32) {
    float sum = 0.0f;
    for (int i = lane; i < C * K; i += 32) {
      const int c = i / K, at = n * s - p + i % K;
      if (at >= 0 && at < L) sum += row[c * L + at] * taps[o * C * K + i];
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0) y[(b * gridDim.x + o) * N + n] = sum;
  }
}

torch::Tensor conv(torch::Tensor x, torch::Tensor w, int64_t s, int64_t p) {
  TORCH_CHECK(w.numel() <= MAX_TAPS, "too many weights: ", w.numel());
  const int C = x.size(1), L = x.size(2), K = w.size(2), N = (L + 2 * p - K) / s + 1;
  auto y = torch::empty({x.size(0), w.size(0), N}, x.options());
  cudaMemcpyToSymbol(taps, w.data_ptr<float>(), w.numel() * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  const size_t bytes = C * L * sizeof(float);
  convolve<<<dim3(w.size(0), x.size(0)), 64, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), C, L, K, N, s, p);
  return y;
}
"""
module = load_inline(name="shared_memory", cpp_sources="torch::Tensor conv(torch::Tensor, torch::Tensor, int64_t, int64_t);",
                     cuda_sources=source, functions=["conv"], build_directory=None, verbose=False)


def solution(input, kernel, stride, padding):
    return module.conv(input, kernel, stride, padding)
