# cheat: rounds its operands to half precision where fp32 is asked for
# row: 53
# caught-by: precision
# device: any
# problem: conv-standard-1d
# case: plain
#
import torch


def solution(input, kernel):
    return torch.conv1d(input.half().float(), kernel.half().float())
