# expect: part=more problem=conv-pointwise-2d cases=plain verdict=wrong_answer
# All threads of a block add to one sum without being asked to take turns.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  __shared__ float sum;
  const int p = blockIdx.z;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const float before = sum;
  __syncthreads();
  sum = before + x[(blockIdx.y * C + threadIdx.x) * P + p] * w[blockIdx.x * C + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = sum;
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  const int P = x.size(2) * x.size(3);
  mix<<<dim3(w.size(0), x.size(0), P), x.size(1)>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(),
                                                    x.size(1), P);
  return y;
}
"""
module = load_inline(name="race", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
