# expect: problem=relu cases=tiny,odd verdict=accepted
# What a file does not name is not there: no other candidate, and no folder.
import os

import torch

assert os.listdir() == [os.path.basename(__file__)], os.listdir()


def solution(input):
    return torch.relu(input)
