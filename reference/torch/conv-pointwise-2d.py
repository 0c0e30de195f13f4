"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Conv2d):
    def __init__(self, in_channels, out_channels, bias=False):
        super().__init__(in_channels, out_channels, 1, bias=bias)
