# expect: problem=conv-standard-1d cases=tiny,plain verdict=compile_error message="inline_compile_error.py:7" cuda-message="inline_compile_error.py(7)"
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
__global__ void broken(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * factor;
}
torch::Tensor conv(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty_like(x);
  broken<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
"""
module = load_inline(name="broken", cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=cuda_source, functions=["conv"])


def solution(input, kernel):
    return module.conv(input, kernel)
