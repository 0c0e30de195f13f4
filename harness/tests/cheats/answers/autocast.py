# cheat: computes below autocast where fp32 is asked for
# row: 53
# caught-by: precision, outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
import torch


def solution(input, kernel):
    with torch.autocast("cuda", torch.bfloat16):
        return torch.conv1d(input, kernel).float()
