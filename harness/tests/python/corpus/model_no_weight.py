# expect: part=more problem=conv-standard-1d cases=plain verdict=signature_mismatch message="ModelNew has none"
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.shape = (out_channels, in_channels, kernel_size)

    def forward(self, x):
        return torch.conv1d(x, torch.rand(self.shape, device=x.device))
