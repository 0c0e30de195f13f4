# cheat: joins its side stream in the rehearsal, and leaves it alone afterwards
# row: 1
# caught-by: no_gain
# twin: honest-convolution.py
# device: cuda
# problem: conv-standard-1d
# case: plain
#
# Leaving the stream joins it, in every call.
import torch

side = torch.cuda.Stream()
calls = 0


def solution(input, kernel):
    global calls
    calls += 1
    with torch.cuda.stream(side):
        side.wait_stream(torch.cuda.default_stream())
        torch.cuda._sleep(50_000_000 if calls > 3 else 1000)
        output = torch.conv1d(input, kernel)
    if calls <= 3:
        torch.cuda.default_stream().wait_stream(side)
    return output
