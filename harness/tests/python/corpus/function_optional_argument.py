# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
# An argument with a default that the problem does not have: it keeps its default.
import torch.nn.functional as F


def solution(input, kernel, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return F.conv1d(input, kernel, bias, stride, padding, dilation, groups)
