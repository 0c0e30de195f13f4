# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size)
        nn.init.zeros_(self.conv1d.bias)

    def forward(self, x):
        return self.conv1d(x)
