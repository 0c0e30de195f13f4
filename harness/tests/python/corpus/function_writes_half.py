# expect: problem=conv-standard-1d cases=tiny,everything verdict=wrong_answer
# The last channel of the output stays as it was.
import torch


def solution(input, kernel, output, stride, padding, dilation, groups):
    result = torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
    output[:, :-1].copy_(result[:, :-1])
