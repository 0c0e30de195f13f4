# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned float16 for output 'output', which is float32"
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding).half()
