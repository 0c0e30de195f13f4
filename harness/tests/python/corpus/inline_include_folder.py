# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=accepted
# Headers in a folder of extra_include_paths. One includes another, in a folder beside it.
import os
import tempfile

from torch.utils.cpp_extension import load_inline

folder = tempfile.mkdtemp()
for place, text in {
    "include/mine/sums.cuh": """
#ifndef SUMS
#define SUMS
#include "../../details/product.cuh"
#define CHANNELS_LAST_IS std::min(C, P)
__device__ inline void add_to(float& sum, float a, float b) { sum += product(a, b); }
#endif
""",
    "details/product.cuh": """
#pragma once
static __device__ float product(float a, float b) { return a * b; }
""",
}.items():
    os.makedirs(os.path.dirname(os.path.join(folder, place)), exist_ok=True)
    with open(os.path.join(folder, place), "w") as file:
        file.write(text)

cuda = """
#include <mine/sums.cuh>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < C; ++c) add_to(sum, x[(blockIdx.y * C + c) * P + p], w[blockIdx.x * C + c]);
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  const int C = x.size(1), P = x.size(2) * x.size(3);
  TORCH_CHECK(CHANNELS_LAST_IS > 0);
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), C, P);
  return y;
}
"""
module = load_inline(
    name="include_folder",
    cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
    cuda_sources=cuda,
    functions=["pointwise"],
    extra_include_paths=[os.path.join(folder, "include")],
)


def solution(input, kernel):
    return module.pointwise(input, kernel)
