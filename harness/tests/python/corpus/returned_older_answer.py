# expect: problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
# Answers of the same shape are handed out again.
import torch

answers = {}


def solution(input, kernel, stride, padding):
    if input.shape not in answers:
        answers[input.shape] = torch.conv1d(input, kernel, None, stride, padding)
    return answers[input.shape]
