# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# kgrade: entry fast_convolution
import torch


def slow_convolution(input, kernel, stride, padding, dilation, groups):
    raise RuntimeError("nobody asked for this one")


def fast_convolution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
