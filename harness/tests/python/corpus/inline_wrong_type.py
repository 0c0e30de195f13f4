# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="expected scalar type Double but found Float"
import torch
from torch.utils.cpp_extension import load_inline

source = """
torch::Tensor conv(torch::Tensor x, torch::Tensor w) {
  const double* values = x.data_ptr<double>();
  return values ? torch::conv1d(x, w) : x;
}
"""
module = load_inline(name="wrong_type", cpp_sources=source, functions=["conv"])


def solution(input, kernel):
    return module.conv(input, kernel)
