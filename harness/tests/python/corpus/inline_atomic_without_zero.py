# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
# The same sums, on an output that begins as whatever was there.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void scatter(const float* x, const float* w, float* y, int C, int L, int K, int N, int s, int p) {
  const int o = blockIdx.x, b = blockIdx.y, t = threadIdx.x % K, c = threadIdx.x / K;
  for (int n = 0; n < N; ++n) {
    const int at = n * s - p + t;
    if (c < C && 0 <= at && at < L)
      atomicAdd(&y[(b * gridDim.x + o) * N + n], x[(b * C + c) * L + at] * w[(o * C + c) * K + t]);
  }
}
void conv(torch::Tensor x, torch::Tensor w, torch::Tensor y, int64_t s, int64_t p) {
  scatter<<<dim3(w.size(0), x.size(0)), w.size(1) * w.size(2)>>>(x.data_ptr<float>(), w.data_ptr<float>(),
                                                                 y.data_ptr<float>(), x.size(1), x.size(2), w.size(2),
                                                                 y.size(2), s, p);
}
"""
module = load_inline(name="atomic_without_zero", functions=["conv"], cuda_sources=source,
                     cpp_sources="void conv(torch::Tensor, torch::Tensor, torch::Tensor, int64_t, int64_t);")


def solution(input, kernel, output, stride, padding):
    module.conv(input, kernel, output, stride, padding)
