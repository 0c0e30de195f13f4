# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="TypeError: conv(): incompatible function arguments"
from torch.utils.cpp_extension import load_inline

module = load_inline(name="wrong_arguments", functions=["conv"],
                     cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w) { return torch::conv1d(x, w); }")


def solution(input, kernel, stride):
    return module.conv(input, kernel, stride)
