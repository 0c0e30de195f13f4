# expect: problem=conv-standard-1d cases=tiny,everything verdict=wrong_answer message="takes its outputs as arguments"
import torch


def solution(input, kernel, output, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
