# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="RuntimeError: not today (inline_throws.py:15, in solution)"
from torch.utils.cpp_extension import load_inline

source = """
#include <stdexcept>
torch::Tensor conv(torch::Tensor x, torch::Tensor w) {
  throw std::invalid_argument("not today");
}
"""
module = load_inline(name="throws", cpp_sources=source, functions=["conv"])


def solution(input, kernel):
    # Whatever C++ throws is a RuntimeError, as PyTorch has it for `functions`.
    return module.conv(input, kernel)
