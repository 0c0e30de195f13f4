# expect: problem=conv-standard-1d cases=tiny verdict=wrong_answer message="returned shape [6] for output 'output', which has [1, 2, 3]"
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding).flatten()
