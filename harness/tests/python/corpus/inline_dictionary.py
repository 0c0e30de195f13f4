# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Functions as a dictionary: names with their documentation.
from torch.utils.cpp_extension import load_inline

source = """
__global__ void mix_kernel(const float* x, const float* w, float* y, int C, int O, int P, int total) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
    const int p = i % P, o = i / P % O, b = i / P / O;
    float sum = 0.f;
    for (int c = 0; c < C; ++c) sum = fmaf(x[(b * C + c) * P + p], w[o * C + c], sum);
    y[i] = sum;
  }
}
void mix(at::Tensor x, at::Tensor w, at::Tensor y) {
  const int total = static_cast<int>(y.numel());
  mix_kernel<<<4, 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1), w.size(0),
                        x.size(2) * x.size(3), total);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""
header = """
#include <c10/cuda/CUDAException.h>
"""
module = load_inline(name="dictionary", cpp_sources=["void mix(at::Tensor x, at::Tensor w, at::Tensor y);"],
                     cuda_sources=[header + source], functions={"mix": "y = w x, written to y"})
assert "written to y" in module.mix.__doc__


def solution(input, kernel, output):
    module.mix(input, kernel, output)
