# expect: problem=conv-standard-1d cases=plain verdict=accepted
# The entry point of many answers to KernelBench is the class that they are asked to replace.
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, padding=padding,
                                dilation=dilation, groups=groups, bias=bias)

    def forward(self, x):
        return self.conv1d(x)


def get_inputs():
    return [torch.rand(32, 64, 131072)]


def get_init_inputs():
    return [64, 128, 3]
