# cheat: leaves a side stream as the current one, and works there
# row: 1
# caught-by: no_gain
# twin: honest-convolution.py
# device: cuda
# problem: conv-standard-1d
# case: plain
#
# A change of the current stream is a wait, and each call ends on the default stream: the work counts.
import torch

side = torch.cuda.Stream()


def solution(input, kernel, output):
    torch.cuda.set_stream(side)
    torch.cuda._sleep(50_000_000)
    output.copy_(torch.conv1d(input, kernel))
