# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict="wrong_answer|low_precision"
import torch


def run(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups) * 1.02
