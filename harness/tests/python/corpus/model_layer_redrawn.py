# expect: problem=conv-standard-1d cases=plain verdict=accepted
# The layer's own weight is made, dropped, and not what the module computes with.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.layer = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.layer.weight = nn.Parameter(torch.randn(out_channels, in_channels, kernel_size) * 0.02)
        self.packed = self.layer.weight.detach().permute(2, 1, 0).contiguous()

    def forward(self, x):
        return torch.conv1d(x, self.packed.permute(2, 1, 0).to(x.device))
