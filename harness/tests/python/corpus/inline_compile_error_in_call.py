# expect: problem=conv-standard-1d cases=tiny,plain verdict=compile_error message="inline_compile_error_in_call.py:10"
# The sources are only known when they are built.
from torch.utils.cpp_extension import load_inline


def solution(input, kernel):
    source = """
torch::Tensor conv(torch::Tensor x, torch::Tensor w) {
  // The next line lacks its end.
  return torch::conv1d(x, w)
}
"""
    module = load_inline(name="broken_in_call", cpp_sources=source, functions=["conv"])
    return module.conv(input, kernel)
