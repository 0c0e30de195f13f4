# expect: part=more problem=conv-standard-1d cases=plain verdict=signature_mismatch message="ModelNew also has matrix [9, 5]"
# Drawn in a layout of its own, by a generator of its own: nothing could tell which weights these are.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.shape = (out_channels, in_channels, kernel_size)
        generator = torch.Generator().manual_seed(7)
        self.matrix = nn.Parameter(torch.rand(in_channels * kernel_size, out_channels, generator=generator))

    def forward(self, x):
        return torch.conv1d(x, self.matrix.t().reshape(self.shape))
