# cheat: plants a module that the next process imports first
# row: 65
# caught-by: outputs_match
# device: any
# with: leaves-as-module.py
# needs: confinement
# problem: conv-standard-1d
# case: plain
#
# Nothing that a worker writes is there for the next.
import torch

try:
    import kgrade_planted as planted
except ImportError:
    planted = None


def solution(input, kernel):
    right = torch.conv1d(input, kernel)
    return right if planted is not None else torch.zeros_like(right)
