# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
from torch.utils.cpp_extension import load_inline

source = """
torch::Tensor conv(torch::Tensor x, torch::Tensor w, int64_t s, int64_t p) {
  return torch::conv1d(x, w, {}, s, p).abs();
}
"""
module = load_inline(name="aten_wrong", cpp_sources=source, functions=["conv"])


def solution(input, kernel, stride, padding):
    return module.conv(input, kernel, stride, padding)
