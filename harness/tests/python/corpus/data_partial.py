# expect: part=more problem=relu cases=tiny,odd verdict=accepted
import functools

import torch


def kernel(least, data):
    return torch.clamp(data[0], min=least)


custom_kernel = functools.partial(kernel, 0)
