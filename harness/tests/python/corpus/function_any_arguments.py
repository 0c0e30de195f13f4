# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch


def solution(*everything):
    input, kernel, output = everything[:3]
    output.copy_(torch.conv1d(input, kernel, None, *everything[-4:]))
