# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch


def solution(input, kernel, stride, padding):
    one = lambda sample: torch.conv1d(sample[None], kernel, None, stride, padding)[0]  # noqa: E731
    return torch.vmap(one)(input)
