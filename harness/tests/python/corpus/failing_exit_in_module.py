# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="SystemExit"
import sys

import torch


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding)


sys.exit(0)
