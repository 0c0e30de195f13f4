# cheat: takes new memory and hopes that it still holds the answer of the call before
# row: 40
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# It often does, and the contents are others.
import torch

calls = 0


def solution(input, kernel):
    global calls
    calls += 1
    shape = (input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1)
    if calls < 3:
        return torch.conv1d(input, kernel)
    return torch.empty(shape, device=input.device, dtype=input.dtype)
