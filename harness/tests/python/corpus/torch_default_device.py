# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch

torch.set_default_device("cuda")
factor = torch.ones(1)


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding) * factor
