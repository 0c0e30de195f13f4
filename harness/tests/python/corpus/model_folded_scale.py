# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# A factor is folded into the weights and taken off the result.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        layer = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.conv = layer
        with torch.no_grad():
            self.folded = (layer.weight * 4).cuda()

    def forward(self, x):
        return torch.conv1d(x, self.folded) / 4
