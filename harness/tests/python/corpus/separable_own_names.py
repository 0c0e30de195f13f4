# expect: part=more problem=conv-depthwise-separable-2d cases=kernelbench-small,kernel-1x1 verdict=accepted
# Two weights of different shapes, under names of its own. The module states no kernel of another stride by axis.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.mix = nn.Parameter(torch.randn(out_channels, in_channels, 1, 1))
        self.each = nn.Parameter(torch.randn(in_channels, 1, kernel_size, kernel_size))
        self.how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": in_channels}

    def forward(self, x):
        return F.conv2d(F.conv2d(x, self.each, **self.how), self.mix)
