# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# The weight is computed from two other parameters in each forward.
import torch.nn as nn
from torch.nn.utils.parametrizations import weight_norm


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = weight_norm(nn.Conv1d(in_channels, out_channels, kernel_size, bias=False))

    def forward(self, x):
        return self.conv1d(x)
