# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch


def run(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
