# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
import torch


@torch.compile(fullgraph=True, dynamic=False)
def convolution(x, weight, stride: int, padding: int):
    return torch.relu(torch.conv1d(x, weight, None, stride, padding))


def solution(input, kernel, stride, padding):
    return convolution(input, kernel, stride, padding)
