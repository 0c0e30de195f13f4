# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# Two weights of the same name and shape: its own, and that of a layer for other devices.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.how = (stride, padding, dilation, groups)
        self.layer = nn.Conv1d(in_channels, out_channels, kernel_size, *self.how, bias)
        self.weight = nn.Parameter(torch.randn(out_channels, in_channels // groups, kernel_size))

    def forward(self, x):
        if x.is_cuda:
            return F.conv1d(x, self.weight, None, *self.how)
        self.layer.weight.copy_(self.weight)
        return self.layer(x)
