# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error emulated=accepted cuda-message="torch_host_constant.py:9, in solution"
# A factor that was left on the host, and has a dimension.
import torch

factor = torch.ones(1)


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding) * factor
