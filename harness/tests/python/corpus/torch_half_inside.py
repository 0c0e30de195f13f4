# expect: problem=conv-standard-1d cases=tiny,plain verdict=low_precision message="fp32 is asked for"
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input.half(), kernel.half(), None, stride, padding).float()
