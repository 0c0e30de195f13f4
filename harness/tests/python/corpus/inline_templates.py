# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Templates and a dispatch macro.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <ATen/Dispatch.h>

template <typename T, int tile>
__global__ void convolve(const T* __restrict__ x, const T* __restrict__ w, T* __restrict__ y, int C, int L, int K, int N,
                         int s, int p) {
  const int n = blockIdx.z * tile + threadIdx.x;
  if (n >= N) return;
  T sum(0);
  for (int c = 0; c < C; ++c) {
    for (int t = 0; t < K; ++t) {
      const int at = n * s - p + t;
      if (0 <= at && at < L) sum += x[(blockIdx.y * C + c) * L + at] * w[(blockIdx.x * C + c) * K + t];
    }
  }
  y[(blockIdx.y * gridDim.x + blockIdx.x) * N + n] = sum;
}

torch::Tensor conv(torch::Tensor x, torch::Tensor w, int64_t s, int64_t p) {
  constexpr int tile = 64;
  const int64_t n = (x.size(2) + 2 * p - w.size(2)) / s + 1;
  auto y = at::empty({x.size(0), w.size(0), n}, x.options());
  const dim3 grid(w.size(0), x.size(0), (n + tile - 1) / tile);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "conv", ([&] {
    convolve<scalar_t, tile><<<grid, tile>>>(x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
                                             x.size(1), x.size(2), w.size(2), n, s, p);
  }));
  return y;
}
"""
module = load_inline(name="templates", cpp_sources="torch::Tensor conv(torch::Tensor, torch::Tensor, int64_t, int64_t);",
                     cuda_sources=source, functions="conv")


def solution(input, kernel, stride, padding):
    return module.conv(input, kernel, stride, padding)
