# cheat: computes one row, and returns it as all of them
# row: 52
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
import torch


def solution(input, kernel):
    row = torch.conv1d(input[:1], kernel[:1])
    return row.expand(input.shape[0], kernel.shape[0], row.shape[2])
