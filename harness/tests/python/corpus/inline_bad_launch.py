# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=runtime_error message="invalid"
# More threads than a block may have, and the error is asked for.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
__global__ void nothing(float* y) { y[threadIdx.x] = 0; }
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::zeros({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  nothing<<<1, 2048>>>(y.data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
"""
module = load_inline(name="bad_launch", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
