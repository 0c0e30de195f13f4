# expect: problem=conv-standard-1d cases=plain,groups-4 verdict=accepted
# Several parameters under other names, of which one has the shape of the weights.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, groups=1):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1))
        self.taps = nn.Parameter(torch.empty(out_channels, in_channels // groups, kernel_size))
        self.shift = nn.Parameter(torch.zeros(out_channels))
        self.groups = groups
        nn.init.kaiming_uniform_(self.taps, a=5 ** 0.5)

    def forward(self, x):
        return F.conv1d(x, self.taps * self.alpha, self.shift, groups=self.groups)
