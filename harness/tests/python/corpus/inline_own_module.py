# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# A PYBIND11_MODULE with named arguments and a default.
from torch.utils.cpp_extension import load_inline

cpp = """
#include <torch/extension.h>
#include <pybind11/pybind11.h>

torch::Tensor mix(torch::Tensor x, torch::Tensor w, double scale);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "channels mixed by position";
  m.def("mix", &mix, "y = scale * w x", py::arg("x"), py::arg("w"), py::arg("scale") = 1.0);
}
"""
cuda = """
#include <cuda.h>
#include <cuda_runtime.h>
#include <torch/types.h>

__global__ void mix_kernel(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int C, int O,
                           int P, float scale) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= P) return;
  const int o = blockIdx.y, b = blockIdx.z;
  float sum = 0.f;
  for (int c = 0; c < C; ++c) sum += x[(b * C + c) * P + p] * w[o * C + c];
  y[(b * O + o) * P + p] = scale * sum;
}

torch::Tensor mix(torch::Tensor x, torch::Tensor w, double scale) {
  const auto sizes = x.sizes();
  const int P = sizes[2] * sizes[3], O = w.size(0);
  auto y = torch::empty({sizes[0], O, sizes[2], sizes[3]}, torch::TensorOptions().dtype(x.dtype()).device(x.device()));
  const dim3 grid((P + 63) / 64, O, sizes[0]);
  mix_kernel<<<grid, 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), sizes[1], O, P,
                           static_cast<float>(scale));
  return y;
}
"""
module = load_inline(name="own_module", cpp_sources=cpp, cuda_sources=cuda)


def solution(input, kernel):
    return module.mix(x=input, w=kernel * 0.5, scale=2) if input.shape[0] > 1 else module.mix(input, kernel)
