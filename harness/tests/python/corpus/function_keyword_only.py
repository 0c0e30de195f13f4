# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch.nn.functional as F


def solution(input, kernel, *, groups, dilation, padding, stride):
    return F.conv1d(input, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups)
