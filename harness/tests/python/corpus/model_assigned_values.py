# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# The parameter's values are assigned, and packed.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels, kernel_size))
        with torch.no_grad():
            self.weight[:] = torch.rand(out_channels, in_channels, kernel_size) - 0.5
        self.packed = self.weight.detach().permute(2, 0, 1).contiguous().cuda()

    def forward(self, x):
        return torch.conv1d(x, self.packed.permute(1, 2, 0))
