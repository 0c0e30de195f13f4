# expect: problem=relu cases=tiny verdict=wrong_answer cuda=wrong_answer|unsupported
# An import that is not needed hides no wrong answer.
import cupy
import torch


def solution(input, n, m):
    return torch.relu(input) + 1
