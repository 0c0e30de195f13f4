# expect: problem=relu cases=tiny,odd verdict=accepted
# They are copies that nobody is meant to write to.
import os

import torch

table = os.path.join(os.path.dirname(__file__), "neighbours", "tables", "least.txt")
assert os.stat(table).st_mode & 0o777 == 0o444, oct(os.stat(table).st_mode)


def solution(input):
    return torch.relu(input)
