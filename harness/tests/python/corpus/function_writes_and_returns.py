# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# Returns the very tensor that it was told to write to.
import torch


def solution(input, kernel, output, stride, padding, dilation, groups):
    output.copy_(torch.conv1d(input, kernel, None, stride, padding, dilation, groups))
    return output
