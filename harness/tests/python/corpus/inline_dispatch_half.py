# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=low_precision
# The macro for halves too, called with halves: sums and all.
import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
template <typename scalar_t>
__global__ void mix(const scalar_t* x, const scalar_t* w, scalar_t* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c)
      sum += static_cast<float>(x[(blockIdx.y * C + c) * P + p]) * static_cast<float>(w[blockIdx.x * C + c]);
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = static_cast<scalar_t>(sum);
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "pointwise", [&] {
    mix<scalar_t><<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(),
                                                     y.data_ptr<scalar_t>(), x.size(1), x.size(2) * x.size(3));
  });
  return y;
}
"""
module = load_inline(name="dispatch_half", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input.half(), kernel.half()).to(torch.float32)
