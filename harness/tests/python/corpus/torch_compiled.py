# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch


@torch.compile
def convolution(x, weight, stride: int, padding: int):
    return torch.conv1d(x, weight, None, stride, padding) * 1.0


def solution(input, kernel, stride, padding):
    return convolution(input, kernel, stride, padding)
