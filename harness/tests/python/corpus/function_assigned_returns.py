# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
import functools

import torch


def logged(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs)

    return call


solution = logged(lambda x, w, y, *rest: torch.conv1d(x, w, None, *rest[-4:]).transpose(0, 1).contiguous().transpose(0, 1))
