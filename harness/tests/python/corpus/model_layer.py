# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv1d(x)
