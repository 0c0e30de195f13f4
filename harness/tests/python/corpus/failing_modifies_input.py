# expect: problem=conv-standard-1d cases=tiny,plain verdict=input_modified
import torch


def solution(input, kernel, stride, padding):
    input.mul_(2)
    return torch.conv1d(input, kernel, None, stride, padding) / 2
