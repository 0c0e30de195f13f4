# expect: problem=conv-standard-1d cases=tiny,plain verdict=compile_error message="convolve"
# `functions` names what the sources do not have.
from torch.utils.cpp_extension import load_inline

module = load_inline(name="undefined_function", functions=["convolve"],
                     cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w) { return torch::conv1d(x, w); }")


def solution(input, kernel):
    return module.convolve(input, kernel)
