# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=wrong_answer message="a launch failed: CUDA error 9 (invalid launch configuration)"
# The same launch, and nobody asks for its error: the output stays zero.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void nothing(float* y) { y[threadIdx.x] = 0; }
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::zeros({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  nothing<<<1, 2048>>>(y.data_ptr<float>());
  return y;
}
"""
module = load_inline(name="bad_launch_unseen", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
