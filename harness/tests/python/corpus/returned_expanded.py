# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
import torch


def solution(input, kernel, stride, padding):
    result = torch.conv1d(input, kernel, None, stride, padding)
    return result.mean().expand(result.shape)
