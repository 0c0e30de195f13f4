# expect: problem=conv-2d-sq-input-sq-kernel cases=tiny,kernelbench-small verdict=accepted
# A weight for a matrix product: the kernel with its last three dimensions merged.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_channels, in_channels // groups * kernel_size * kernel_size))
        self.how = (kernel_size, dilation, padding, stride)

    def forward(self, x):
        columns = F.unfold(x, *self.how)
        extents = [(extent + 2 * self.how[2] - self.how[1] * (self.how[0] - 1) - 1) // self.how[3] + 1
                   for extent in x.shape[2:]]
        return (self.weight @ columns).view(x.shape[0], -1, *extents)
