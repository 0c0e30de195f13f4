# expect: problem=relu cases=tiny verdict=compile_error message="counts only in the comments that the file begins with"
"""A submission with a docstring before its declarations."""
# kgrade: precision tf32
import torch


def solution(input):
    """Text such as this is no line:

    # kgrade: nothing
    """
    return torch.relu(input)
