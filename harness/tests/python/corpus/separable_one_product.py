# expect: problem=conv-depthwise-separable-2d cases=kernelbench-small verdict=accepted
# __init__ multiplies both weights into one.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.depthwise = nn.Conv2d(in_channels, in_channels, kernel_size, stride, padding, dilation, in_channels, bias)
        self.pointwise = nn.Conv2d(in_channels, out_channels, 1, bias=bias)
        self.whole = nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding, dilation, bias=bias)
        self.whole.weight.data = (self.pointwise.weight * self.depthwise.weight.transpose(0, 1)).detach()

    def forward(self, x):
        return self.whole(x)
