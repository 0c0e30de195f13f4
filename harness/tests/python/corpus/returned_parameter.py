# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch


def solution(input, kernel, stride, padding):
    return torch.nn.Parameter(torch.conv1d(input, kernel, None, stride, padding))
