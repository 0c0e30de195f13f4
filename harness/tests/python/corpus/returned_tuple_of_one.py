# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch


def solution(input, kernel, stride, padding):
    return (torch.conv1d(input, kernel, None, stride, padding),)
