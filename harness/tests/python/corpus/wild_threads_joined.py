# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted|cheating
# Two threads for each call, which have ended when it returns. Today they may be counted nevertheless: Python's join is
# over a moment before the system's thread is.
from concurrent.futures import ThreadPoolExecutor

import torch


def solution(input, kernel, stride, padding):
    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(lambda one: torch.conv1d(one[None], kernel, None, stride, padding), input))
    return torch.cat(parts)
