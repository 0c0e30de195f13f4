# expect: part=more problem=conv-pointwise-2d cases=many-channels verdict=low_precision|wrong_answer
# Halves in pairs, converted in Python.
import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <cuda_fp16.h>
__global__ void mix(const __half2* x, const __half2* w, float* y, int pairs, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    __half2 sum = __float2half2_rn(0.f);
    for (int c = 0; c < pairs; ++c) sum = __hfma2(x[(blockIdx.y * P + p) * pairs + c], w[blockIdx.x * pairs + c], sum);
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = __low2float(sum) + __high2float(sum);
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  const int P = x.size(1), pairs = x.size(2) / 2;
  auto y = torch::empty({x.size(0), w.size(0), P}, x.options().dtype(torch::kFloat32));
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),
                                          reinterpret_cast<const __half2*>(w.data_ptr<at::Half>()), y.data_ptr<float>(),
                                          pairs, P);
  return y;
}
"""
module = load_inline(name="half_vectors", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    odd = input.shape[1] % 2
    x = torch.nn.functional.pad(input.flatten(2).transpose(1, 2), (0, odd)).half().contiguous()
    w = torch.nn.functional.pad(kernel.flatten(1), (0, odd)).half().contiguous()
    return module.pointwise(x, w).view(input.shape[0], -1, *input.shape[2:])
