# expect: problem=conv-standard-1d cases=plain verdict=accepted
# The weights are a buffer, not a parameter.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.register_buffer("weight", torch.rand(out_channels, in_channels, kernel_size))

    def forward(self, x):
        return torch.conv1d(x, self.weight)
