# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Two megabytes of text in every call, some of it no UTF-8, and an answer.
import sys

import torch


def solution(input, kernel, stride, padding):
    for _ in range(100):
        print("x" * 20000)
    print("to the other stream \udcff", file=sys.stderr)
    return torch.conv1d(input, kernel, None, stride, padding)
