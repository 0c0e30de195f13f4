# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
import os
import sys

import torch

sys.stdout.close()
os.close(2)


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding)
