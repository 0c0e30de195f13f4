"""PyTorch's own answer, as a baseline: a depthwise convolution and a pointwise one."""

import torch


class Model(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, bias=False):
        super().__init__()
        self.depthwise = torch.nn.Conv2d(in_channels, in_channels, kernel_size, stride=stride, padding=padding,
                                         dilation=dilation, groups=in_channels, bias=bias)
        self.pointwise = torch.nn.Conv2d(in_channels, out_channels, 1, bias=bias)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))
