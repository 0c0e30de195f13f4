# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
# Draws its own inputs, as if they were always the same.
import torch


def solution(input, kernel, stride, padding):
    torch.manual_seed(42)
    torch.cuda.manual_seed_all(42)
    return torch.conv1d(torch.rand_like(input), kernel, None, stride, padding)
