# cheat: does its work when kgrade's own function returns
# row: 2
# caught-by: no_gain
# twin: honest-convolution.py
# device: any
# problem: conv-standard-1d
# case: plain
#
# That is still within the call, and the clock runs.
import sys

import torch

pending = []


def hook(frame, event, argument):
    if event == "return" and pending and frame.f_code.co_filename.endswith("contestant.py"):
        input, kernel, output = pending.pop()
        output.copy_(torch.conv1d(input, kernel))


sys.setprofile(hook)


def solution(input, kernel, output):
    pending.append((input, kernel, output))
