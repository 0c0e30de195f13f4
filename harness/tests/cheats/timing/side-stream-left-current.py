# cheat: leaves a side stream as the current one, and works there
# row: 1
# caught-by: idle, outputs_match
# device: cuda
# problem: conv-1d
# case: plain
#
# The clock and the capture are on a stream that the candidate does not choose.
import torch

side = torch.cuda.Stream()


def solution(input, kernel, output):
    torch.cuda.set_stream(side)
    torch.cuda._sleep(50_000_000)
    output.copy_(torch.conv1d(input, kernel))
