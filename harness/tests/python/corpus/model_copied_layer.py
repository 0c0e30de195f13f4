# expect: problem=conv-standard-1d cases=plain verdict=accepted
# The weights of a layer that is dropped, copied into a parameter.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        layer = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.kernel = nn.Parameter(layer.weight.detach().clone())

    def forward(self, x):
        return torch.conv1d(x, self.kernel)
