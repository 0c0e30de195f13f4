# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned 2 values; return the output 'output'"
import torch


def solution(input, kernel, stride, padding):
    result = torch.conv1d(input, kernel, None, stride, padding)
    return result, result
