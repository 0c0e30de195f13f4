# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# Its parameter gets new data, which is then packed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_channels, in_channels, kernel_size))
        self.weight.data = torch.randn(out_channels, in_channels, kernel_size) * 0.1
        self.packed = self.weight.data.permute(2, 0, 1).contiguous().cuda()

    def forward(self, x):
        return torch.conv1d(x, self.packed.permute(1, 2, 0))
