# expect: problem=conv-standard-1d cases=tiny,everything verdict=signature_mismatch message="'# kgrade: entry convolution' names nothing"
# kgrade: entry convolution
import torch


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
