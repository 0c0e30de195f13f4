# expect: part=more problem=conv-standard-1d cases=plain case="batch_size=2,in_channels=3,out_channels=3,length=20,kernel_size=3" verdict=accepted
# As model_packed_plain_draw.py, by an initialiser that draws and then computes.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.shape = (out_channels, in_channels, kernel_size)
        weight = torch.empty(out_channels, in_channels, kernel_size)
        nn.init.trunc_normal_(weight, std=0.02)
        weight.mul_(0.5)
        self.register_buffer("packed", weight.reshape(out_channels, -1).t().contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.packed.t().reshape(self.shape))
