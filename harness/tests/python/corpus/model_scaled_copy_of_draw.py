# expect: part=more problem=conv-standard-1d cases=plain case="batch_size=2,in_channels=3,out_channels=3,length=20,kernel_size=3" verdict=accepted
# A scaled copy of what was drawn is the weight, not what was drawn.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.shape = (out_channels, in_channels, kernel_size)
        drawn = torch.rand(out_channels, in_channels, kernel_size)
        self.weight = nn.Parameter((drawn - drawn.mean()) / drawn.std())

    def forward(self, x):
        return torch.conv1d(x, self.weight)
