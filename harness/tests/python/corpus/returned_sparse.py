# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="return a dense one"
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding).to_sparse()
