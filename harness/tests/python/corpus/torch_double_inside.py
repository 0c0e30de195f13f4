# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input.double(), kernel.double(), None, stride, padding, dilation, groups).float()
