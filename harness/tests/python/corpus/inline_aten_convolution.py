# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# C++ only: PyTorch's own convolution.
from torch.utils.cpp_extension import load_inline

source = """
torch::Tensor conv(const torch::Tensor& x, const torch::Tensor& w, int64_t s, int64_t p, int64_t d, int64_t g) {
  return at::conv1d(x, w, {}, {s}, {p}, {d}, g);
}
"""
module = load_inline(name="aten_convolution", cpp_sources=source, functions=["conv"])


def solution(input, kernel, stride, padding, dilation, groups):
    return module.conv(input, kernel, stride, padding, dilation, groups)
