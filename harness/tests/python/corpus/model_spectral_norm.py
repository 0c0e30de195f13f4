# expect: part=more problem=conv-standard-1d cases=plain verdict=signature_mismatch message="cannot come out as"
# The weight is divided by its largest singular value: it cannot be the problem's, unless that is 1.
import torch.nn as nn
from torch.nn.utils.parametrizations import spectral_norm


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = spectral_norm(nn.Conv1d(in_channels, out_channels, kernel_size, bias=False))

    def forward(self, x):
        return self.conv1d(x)
