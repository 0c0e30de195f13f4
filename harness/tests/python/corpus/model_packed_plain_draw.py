# expect: problem=conv-standard-1d cases=plain case="batch_size=2,in_channels=3,out_channels=3,length=20,kernel_size=3" verdict=accepted
# The weights are drawn in a plain tensor, and only their packed form is a parameter.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.shape = (out_channels, in_channels, kernel_size)
        weight = torch.empty(out_channels, in_channels, kernel_size)
        nn.init.kaiming_uniform_(weight, a=5**0.5)
        self.packed = nn.Parameter(weight.reshape(out_channels, -1).t().contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.packed.t().reshape(self.shape))
