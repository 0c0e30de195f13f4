# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=wrong_answer
# The name `output` gets another tensor; what was lent stays unwritten.
import torch


def solution(input, kernel, output, stride, padding, dilation, groups):
    output = torch.conv1d(input, kernel, None, stride, padding, dilation, groups)  # noqa: F841
