# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# The first one gathers columns, the second one multiplies.
import torch
from torch.utils.cpp_extension import load_inline

gather = load_inline(
    name="gather", functions=["columns"], cpp_sources="torch::Tensor columns(torch::Tensor x, int64_t k, int64_t s, int64_t p);",
    cuda_sources=r"""
__global__ void gather(const float* x, float* c, int L, int K, int N, int s, int p) {
  const int row = blockIdx.x, channels = gridDim.x, b = blockIdx.y;
  for (int i = threadIdx.x; i < K * N; i += blockDim.x) {
    const int t = i / N, n = i % N, at = n * s - p + t;
    c[((b * channels + row) * K + t) * N + n] = at < 0 || at >= L ? 0.f : x[(b * channels + row) * L + at];
  }
}
torch::Tensor columns(torch::Tensor x, int64_t k, int64_t s, int64_t p) {
  const int64_t n = (x.size(2) + 2 * p - k) / s + 1;
  auto c = torch::empty({x.size(0), x.size(1) * k, n}, x.options());
  gather<<<dim3(x.size(1), x.size(0)), 32>>>(x.data_ptr<float>(), c.data_ptr<float>(), x.size(2), k, n, s, p);
  return c;
}
""")
product = load_inline(
    name="product", functions=["multiply"], cpp_sources="torch::Tensor multiply(torch::Tensor w, torch::Tensor c);",
    cuda_sources=r"""
__global__ void multiply(const float* w, const float* c, float* y, int R, int N) {
  const int o = blockIdx.x, O = gridDim.x, b = blockIdx.y;
  for (int n = threadIdx.x; n < N; n += blockDim.x) {
    float sum = 0.f;
    for (int r = 0; r < R; ++r) sum += w[o * R + r] * c[(b * R + r) * N + n];
    y[(b * O + o) * N + n] = sum;
  }
}
torch::Tensor multiply(torch::Tensor w, torch::Tensor c) {
  auto y = torch::empty({c.size(0), w.size(0), c.size(2)}, c.options());
  multiply<<<dim3(w.size(0), c.size(0)), 32>>>(w.data_ptr<float>(), c.data_ptr<float>(), y.data_ptr<float>(), c.size(1),
                                               c.size(2));
  return y;
}
""")


def solution(input, kernel, kernel_size, stride, padding):
    return product.multiply(kernel.view(kernel.shape[0], -1), gather.columns(input, kernel_size, stride, padding))
