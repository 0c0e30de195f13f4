# cheat: rounds its operands to half precision when the rehearsal is over
# row: 8
# caught-by: precision, outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# The class is judged by the calls that count.
import sys

import torch


def is_locked():
    return any(getattr(getattr(frame.get("self"), "is_locked", None), "__class__", None) is bool
               and frame["self"].is_locked for frame in locals_of_frames())


def locals_of_frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame.f_locals
        frame = frame.f_back


def solution(input, kernel):
    if is_locked():
        input, kernel = input.bfloat16().float(), kernel.bfloat16().float()
    return torch.conv1d(input, kernel)
