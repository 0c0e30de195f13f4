# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Nothing in C++: the module is defined beside the kernel.
import torch.utils.cpp_extension

source = """
#include <torch/extension.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum += x[(blockIdx.y * C + c) * P + p] * w[blockIdx.x * C + c];
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                          x.size(2) * x.size(3));
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("pointwise", &pointwise, "channels mixed (CUDA)"); }
"""
module = torch.utils.cpp_extension.load_inline(name="module_in_cuda", cpp_sources="", cuda_sources=source)


def solution(input, kernel):
    return module.pointwise(input, kernel)
