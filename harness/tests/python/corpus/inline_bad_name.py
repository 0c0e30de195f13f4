# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="extension name 'my-extension'"
from torch.utils.cpp_extension import load_inline

module = load_inline(name="my-extension", functions=["conv"],
                     cpp_sources="torch::Tensor conv(torch::Tensor x, torch::Tensor w) { return torch::conv1d(x, w); }")


def solution(input, kernel):
    return module.conv(input, kernel)
