# expect: problem=conv-standard-1d cases=plain verdict=accepted
# The layer is gone when __init__ ends: no tensor of the module has the shape of the weights.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        layer = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.shape = layer.weight.shape
        self.matrix = nn.Parameter(layer.weight.detach().reshape(out_channels, -1).t().contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.matrix.t().reshape(self.shape))
