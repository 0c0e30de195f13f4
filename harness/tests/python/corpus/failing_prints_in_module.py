# expect: problem=relu cases=tiny verdict=runtime_error message="raised SystemExit: 3 (failing_prints_in_module.py:9); it printed: looking for a tuning | no tuning for this device"
# What a module prints before it fails says why.
import sys

import torch

print("looking for a tuning")
print("no tuning for this device", file=sys.stderr)
sys.exit(3)


def solution(input):
    return torch.relu(input)
