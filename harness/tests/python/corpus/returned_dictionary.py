# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned dict for output 'output'; return a tensor"
import torch


def solution(input, kernel, stride, padding):
    return {"output": torch.conv1d(input, kernel, None, stride, padding)}
