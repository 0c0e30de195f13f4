# expect: problem=conv-standard-1d cases=tiny,plain verdict=compile_error|runtime_error message="conv"
# Declared, bound, and defined nowhere.
from torch.utils.cpp_extension import load_inline

module = load_inline(name="declared_only", cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w);",
                     functions=["conv"])


def solution(input, kernel):
    return module.conv(input, kernel)
