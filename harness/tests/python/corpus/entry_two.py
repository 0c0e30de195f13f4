# expect: problem=conv-standard-1d cases=tiny,everything verdict=signature_mismatch message="add the line: # kgrade: entry "
import torch


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)


def run(input, kernel, stride, padding, dilation, groups):
    return solution(input, kernel, stride, padding, dilation, groups)
