# expect: problem=conv-standard-1d cases=plain verdict=accepted emulated=unsupported emulated-message="no match for"
# Needs PyTorch's own headers: kgrade's do not print tensors.
import torch
from torch.utils.cpp_extension import load_inline

module = load_inline(
    name="prints_tensor",
    cpp_sources="torch::Tensor show(torch::Tensor x) { std::cout << x.sizes()[0] << x << std::endl; return x; }",
    functions=["show"])


def solution(input, kernel):
    return torch.conv1d(module.show(input), kernel)
