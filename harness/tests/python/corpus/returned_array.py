# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned ndarray for output 'output'; return a tensor"
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding).cpu().numpy()
