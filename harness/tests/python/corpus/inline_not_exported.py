# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="no attribute 'other' (inline_not_exported.py:9, in solution)"
from torch.utils.cpp_extension import load_inline

module = load_inline(name="not_exported", functions=["conv"],
                     cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w) { return torch::conv1d(x, w); }")


def solution(input, kernel):
    return module.other(input, kernel)
