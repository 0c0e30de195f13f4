# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# The only parameter, under a name of its own and drawn from another distribution.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.filters = nn.Parameter(torch.randn(out_channels, in_channels // groups, kernel_size) * 0.02)
        self.how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}

    def forward(self, x):
        return F.conv1d(x, self.filters, **self.how)
