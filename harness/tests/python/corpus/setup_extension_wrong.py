# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=wrong_answer
# As setup_extension.py, with a flag that changes the result: it reaches the compiler.
import os
import tempfile

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

folder = tempfile.mkdtemp()
os.makedirs(os.path.join(folder, "include"))
with open(os.path.join(folder, "include", "sums.cuh"), "w") as file:
    file.write("#pragma once\n__device__ inline float with(float sum, float a, float b) { return sum + a * b; }\n")
with open(os.path.join(folder, "mix.cu"), "w") as file:
    file.write("""
#include <torch/extension.h>
#include "sums.cuh"
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) sum = with(sum, x[(blockIdx.y * C + c) * P + p], w[blockIdx.x * C + c]);
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum * SCALE;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                          x.size(2) * x.size(3));
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("pointwise", &pointwise); }
""")
setup(
    name="mix",
    ext_modules=[
        CUDAExtension(
            "mix_wrong",
            [os.path.join(folder, "mix.cu")],
            include_dirs=[os.path.join(folder, "include")],
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-DSCALE=2"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
    script_args=["build_ext", "--inplace"],
)
import mix_wrong  # noqa: E402


def solution(input, kernel):
    return mix_wrong.pointwise(input, kernel)
