# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# One parameter under two names.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.alias = self.conv1d.weight

    def forward(self, x):
        return nn.functional.conv1d(x, self.alias)
