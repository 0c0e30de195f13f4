# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# Moves, freezes and evaluates itself in __init__.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False, device="cuda", dtype=torch.float32)
        self.to("cuda").eval().requires_grad_(False)
        for parameter in self.parameters():
            assert parameter.is_cuda

    def forward(self, x):
        assert x.device == self.conv1d.weight.device
        return self.conv1d(x)
