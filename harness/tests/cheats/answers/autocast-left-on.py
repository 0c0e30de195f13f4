# cheat: turns autocast on when it is loaded, and never off
# row: 53
# caught-by: precision, outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# No call of it says anything of another precision.
import torch

for device in ("cpu", "cuda"):
    torch.autocast(device, torch.bfloat16).__enter__()


def solution(input, kernel):
    return torch.conv1d(input, kernel).float()
