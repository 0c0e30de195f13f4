# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# expect: emulated=unsupported
# The C++ interface of modules.
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/torch.h>
namespace F = torch::nn::functional;
torch::Tensor conv(torch::Tensor x, torch::Tensor w, int64_t s, int64_t p) {
  return F::conv1d(x, w, F::Conv1dFuncOptions().stride(s).padding(p));
}
"""
module = load_inline(name="functional_namespace", cpp_sources=source, functions=["conv"])


def solution(input, kernel, stride, padding):
    return module.conv(input, kernel, stride, padding)
