# expect: problem=conv-pointwise-2d cases=plain,many-channels verdict=low_precision|wrong_answer
# Products and sums are halves.
from torch.utils.cpp_extension import load_inline

source = """
#include <cuda_fp16.h>
#include <torch/extension.h>
__global__ void mix(const float* x, const float* w, float* y, int C, int P) {
  for (int p = threadIdx.x; p < P; p += blockDim.x) {
    __half sum = __float2half(0.f);
    for (int c = 0; c < C; ++c) {
      const __half a = __float2half(x[(blockIdx.y * C + c) * P + p]), b = __float2half(w[blockIdx.x * C + c]);
      sum = __hadd(sum, __hmul(a, b));
    }
    y[(blockIdx.y * gridDim.x + blockIdx.x) * P + p] = __half2float(sum);
  }
}
torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) {
  auto y = torch::empty({x.size(0), w.size(0), x.size(2), x.size(3)}, x.options());
  mix<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                          x.size(2) * x.size(3));
  return y;
}
"""
module = load_inline(name="half_sums", cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w);",
                     cuda_sources=source, functions=["pointwise"])


def solution(input, kernel):
    return module.pointwise(input, kernel)
