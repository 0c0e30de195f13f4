# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="'solution' returned None; return the output 'output'"
import torch


def solution(input, kernel, stride, padding):
    torch.conv1d(input, kernel, None, stride, padding)
