# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Packed accessors, on operands with strides of their own.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void mix(const torch::PackedTensorAccessor32<float, 4, torch::RestrictPtrTraits> x,
                    const torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> w,
                    torch::PackedTensorAccessor32<float, 4, torch::RestrictPtrTraits> y) {
  const int o = blockIdx.x, b = blockIdx.y;
  for (int i = threadIdx.x; i < y.size(2) * y.size(3); i += blockDim.x) {
    const int row = i / y.size(3), column = i % y.size(3);
    float sum = 0;
    for (int c = 0; c < x.size(1); ++c) sum += x[b][c][row][column] * w[c][o];
    y[b][o][row][column] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(1), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(1), x.size(0)), 64>>>(x.packed_accessor32<float, 4, torch::RestrictPtrTraits>(),
                                          w.packed_accessor32<float, 2, torch::RestrictPtrTraits>(),
                                          y.packed_accessor32<float, 4, torch::RestrictPtrTraits>());
  return y;
}
"""
module = load_inline(name="accessors", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    weights = kernel.flatten(1).t()
    return module.pointwise(input.contiguous().transpose(2, 3).contiguous().transpose(2, 3), weights)
