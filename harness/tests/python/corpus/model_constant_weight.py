# expect: problem=conv-standard-1d cases=plain verdict=wrong_answer
# What a weight would be if it always were the same.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return torch.conv1d(x, torch.full_like(self.conv1d.weight, 0.01))
