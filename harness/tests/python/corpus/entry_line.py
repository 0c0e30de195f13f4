# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# kgrade: entry solution
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise RuntimeError("nobody asked for this one")


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
