# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# The output comes first, and the names stand in an order of their own.
import torch


def solution(output, groups, dilation, kernel, padding, input, stride):
    output[:] = torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
