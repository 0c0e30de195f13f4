# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned a tensor on the cpu" emulated=accepted
import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding).cpu()
