# expect: problem=relu cases=tiny,odd verdict=accepted
# The command line of a submission is the name of its file alone.
import argparse
import sys

import torch

arguments = argparse.ArgumentParser()
arguments.add_argument("--block", type=int, default=128)
block = arguments.parse_args().block
assert sys.argv == [__file__]


def solution(input, output):
    assert block == 128
    output.copy_(torch.relu(input))
