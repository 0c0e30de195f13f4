# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=wrong_answer
# A convolution as mathematics has it.
import torch


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel.flip(2), None, stride, padding, dilation, groups)
