# expect: problem=conv-standard-1d cases=plain verdict=accepted
# Initialised through `.data`, then packed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.weight = nn.Parameter(torch.Tensor(out_channels, in_channels, kernel_size))
        bound = (in_channels * kernel_size) ** -0.5
        self.weight.data.uniform_(-bound, bound)
        self.register_buffer("packed", self.weight.data.permute(2, 0, 1).contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.packed.permute(1, 2, 0))
