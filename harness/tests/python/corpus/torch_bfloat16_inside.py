# expect: part=more problem=conv-standard-1d cases=plain verdict=low_precision|wrong_answer
import torch


def solution(input, kernel, output, stride, padding):
    output.copy_(torch.conv1d(input.bfloat16(), kernel.bfloat16(), None, stride, padding))
