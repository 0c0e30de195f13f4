# expect: part=more problem=conv-pointwise-2d cases=tiny,plain verdict=wrong_answer message="returned None"
from torch.utils.cpp_extension import load_inline

module = load_inline(name="undefined_result", functions=["pointwise"],
                     cpp_sources="torch::Tensor pointwise(torch::Tensor x, torch::Tensor w) { return torch::Tensor(); }")


def solution(input, kernel):
    return module.pointwise(input, kernel)
