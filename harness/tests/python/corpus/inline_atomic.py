# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Each tap adds its share to an output that begins as zero.
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
torch::Tensor conv(torch::Tensor x, torch::Tensor w, int64_t s, int64_t p) {
  const int N = (x.size(2) + 2 * p - w.size(2)) / s + 1;
  auto y = torch::zeros({x.size(0), w.size(0), N}, x.options());
  scatter<<<dim3(w.size(0), x.size(0)), w.size(1) * w.size(2)>>>(x.data_ptr<float>(), w.data_ptr<float>(),
                                                                 y.data_ptr<float>(), x.size(1), x.size(2), w.size(2), N,
                                                                 s, p);
  return y;
}
"""
module = load_inline(name="atomic", cpp_sources="torch::Tensor conv(torch::Tensor, torch::Tensor, int64_t, int64_t);",
                     cuda_sources=source, functions=["conv"])


def solution(input, kernel, stride, padding):
    return module.conv(input, kernel, stride, padding)
