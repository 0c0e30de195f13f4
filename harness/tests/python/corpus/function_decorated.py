# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
import functools

import torch


def without_gradients(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        with torch.no_grad():
            return function(*args, **kwargs)

    return wrapped


@without_gradients
def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
