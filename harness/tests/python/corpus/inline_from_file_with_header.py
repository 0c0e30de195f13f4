# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# load() instead of load_inline(): the submission writes its sources into a temporary folder.
import os
import tempfile

from torch.utils.cpp_extension import load

folder = tempfile.mkdtemp()
with open(os.path.join(folder, "shared.cuh"), "w") as file:
    file.write("""
#pragma once
__device__ inline float weighted(float sum, float a, float b) { return sum + a * b; }
""")
with open(os.path.join(folder, "mix.cu"), "w") as file:
    file.write("""
#include <torch/extension.h>
#include "shared.cuh"
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum = weighted(sum, x[(blockIdx.y * C + c) * P + p], w[blockIdx.x * C + c]);
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                          x.size(2) * x.size(3));
  return y;
}
""")
with open(os.path.join(folder, "module.cpp"), "w") as file:
    file.write("""
#include <torch/extension.h>
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("pointwise", &pointwise); }
""")
module = load(name="from_file_with_header", sources=[os.path.join(folder, name) for name in ("module.cpp", "mix.cu")])


def solution(input, kernel):
    return module.pointwise(input, kernel)
