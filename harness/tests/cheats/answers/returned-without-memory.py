# cheat: returns a tensor that has a shape and no memory
# row: 59
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
import torch


def solution(input, kernel):
    return torch.empty(input.shape[0], kernel.shape[0], input.shape[2] - kernel.shape[2] + 1, device="meta")
