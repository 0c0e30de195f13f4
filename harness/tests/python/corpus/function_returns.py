# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch.nn.functional as F


def solution(input, kernel, stride, padding, dilation, groups):
    return F.conv1d(input, kernel, None, stride, padding, dilation, groups)
