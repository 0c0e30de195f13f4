# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer message="returned a Answer for output 'output'; return a plain tensor"
import torch


class Answer(torch.Tensor):
    """Could do anything when it is looked at."""


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding).as_subclass(Answer)
