# expect: problem=conv-standard-1d cases=plain,groups-4 verdict=wrong_answer message="case 'groups-4'"
# The first channel of a group is taken for that of the output.
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
__global__ void convolve(const float* x, const float* w, float* y, int C, int O, int L, int K, int N, int g) {
  int n = threadIdx.x, o = blockIdx.x, b = blockIdx.y, channels = C / g;
  for (; n < N; n += blockDim.x) {
    float sum = 0;
    for (int c = 0; c < channels; ++c)
      for (int t = 0; t < K; ++t) sum += x[(b * C + o % g * channels + c) * L + n + t] * w[(o * channels + c) * K + t];
    y[(b * O + o) * N + n] = sum;
  }
}
torch::Tensor conv1d(torch::Tensor x, torch::Tensor w, int64_t groups) {
  const int N = x.size(2) - w.size(2) + 1;
  auto y = torch::zeros({x.size(0), w.size(0), N}, x.options());
  convolve<<<dim3(w.size(0), x.size(0)), 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1),
                                               w.size(0), x.size(2), w.size(2), N, groups);
  return y;
}
"""
module = load_inline("wrong_channel", "torch::Tensor conv1d(torch::Tensor x, torch::Tensor w, int64_t groups);",
                     cuda_source, functions=["conv1d"])


def solution(input, kernel, groups):
    return module.conv1d(input, kernel, groups)
