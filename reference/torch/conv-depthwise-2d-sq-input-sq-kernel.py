"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Conv2d):
    def __init__(self, in_channels, kernel_size, stride, padding, bias=False):
        super().__init__(in_channels, in_channels, kernel_size, stride, padding, groups=in_channels, bias=bias)
