# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Padding, slices, sums and products by methods of tensors.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <vector>
torch::Tensor conv(torch::Tensor x, torch::Tensor w, int64_t stride, int64_t padding) {
  const auto b = x.size(0), c = x.size(1), l = x.size(2), o = w.size(0), k = w.size(2);
  const auto n = (l + 2 * padding - k) / stride + 1;
  auto padded = torch::zeros({b, c, l + 2 * padding}, x.options());
  padded.slice(2, padding, padding + l).copy_(x);
  std::vector<torch::Tensor> taps;
  for (int64_t t = 0; t < k; ++t) {
    auto part = padded.slice(2, t, t + (n - 1) * stride + 1, stride).unsqueeze(1);
    auto weights = w.select(2, t).view({1, o, c, 1});
    taps.push_back((part * weights).sum(2));
  }
  return torch::stack(taps, 0).sum(0);
}
"""
module = load_inline(name="aten_methods", cpp_sources=[source], functions=["conv"], extra_cflags=["-O2"])


def solution(input, kernel, stride, padding):
    return module.conv(input, kernel, stride, padding)
