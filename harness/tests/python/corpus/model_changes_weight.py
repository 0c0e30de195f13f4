# expect: part=more problem=conv-standard-1d cases=plain verdict=wrong_answer
# Every call scales the weights: only the first is right.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        result = self.conv1d(x)
        with torch.no_grad():
            self.conv1d.weight.mul_(1.5)
        return result
