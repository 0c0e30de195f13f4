# expect: problem=conv-standard-1d cases=plain case="batch_size=2,in_channels=2,out_channels=5,length=20,kernel_size=5" case="batch_size=2,in_channels=3,out_channels=3,length=20,kernel_size=3" verdict=accepted
# What the weights are packed to has their own shape where the kernel is as long as there are channels.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        layer = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.register_buffer("weight", layer.weight.detach().permute(2, 1, 0).contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.weight.permute(2, 1, 0))
