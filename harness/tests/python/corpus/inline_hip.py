# expect: problem=relu cases=tiny verdict=compile_error emulated=unsupported
# expect: emulated-message="inline_hip.py:8: HIP cannot run on the emulated device"
# HIP text, for other vendors' GPUs.
import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <hip/hip_runtime.h>
__global__ void rectify(const float* x, float* y, int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) y[i] = x[i] > 0 ? x[i] : 0;
}
torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int total = x.numel();
  hipLaunchKernelGGL(rectify, dim3((total + 255) / 256), dim3(256), 0, 0, x.data_ptr<float>(), y.data_ptr<float>(), total);
  return y;
}
"""
module = load_inline(name="rectify_by_hip", cpp_sources=source, functions=["relu"])


def solution(input, n, m):
    return module.relu(input)
