# expect: problem=conv-standard-1d cases=plain verdict=signature_mismatch message="add the line: # kgrade: state kernel="
# Two parameters could be the problem's, and nothing says which.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.first = nn.Parameter(torch.rand(out_channels, in_channels, kernel_size))
        self.second = nn.Parameter(torch.zeros(out_channels, in_channels, kernel_size))

    def forward(self, x):
        return torch.conv1d(x, self.first + self.second)
