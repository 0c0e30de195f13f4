# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Optional tensors, lists of numbers, several results.
import torch
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <tuple>
#include <vector>
std::tuple<torch::Tensor, int64_t> conv(torch::Tensor x, torch::Tensor w, c10::optional<torch::Tensor> bias,
                                        std::vector<int64_t> geometry, bool twice, const std::string& mode) {
  TORCH_CHECK(geometry.size() == 2, "stride and padding are wanted");
  TORCH_CHECK(mode == "zeros", "mode ", mode, " is not known");
  auto y = torch::conv1d(x, w, {}, geometry[0], geometry[1]);
  if (bias.has_value()) y = y + bias.value().view({1, -1, 1});
  return std::make_tuple(twice ? y * 2 : y, y.numel());
}
std::vector<torch::Tensor> halves(torch::Tensor x) { return {x * 0.5, x * 0.5}; }
"""
module = load_inline(name="optional_and_lists", cpp_sources=source, functions=["conv", "halves"])


def solution(input, kernel, stride, padding):
    twice, count = module.conv(input, kernel, None, [stride, padding], True, "zeros")
    assert count == twice.numel()
    left, _ = module.halves(twice)
    again, _ = module.conv(input, kernel, torch.zeros(kernel.shape[0], device=input.device), (stride, padding), False, "zeros")
    return (left + again) / 2
