# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.all = nn.ParameterList([nn.Parameter(torch.rand(out_channels, in_channels, kernel_size))])
        self.one = nn.ParameterDict({"scale": nn.Parameter(torch.ones(1, 1, 1))})

    def forward(self, x):
        return torch.conv1d(x, self.all[0]) * self.one["scale"]
