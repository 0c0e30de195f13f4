# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned float64 for output 'output', which is float32"
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input.double(), kernel.double(), None, stride, padding)
