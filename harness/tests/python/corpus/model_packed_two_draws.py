# expect: part=more problem=conv-standard-1d cases=plain case="batch_size=2,in_channels=3,out_channels=3,length=20,kernel_size=3" verdict=signature_mismatch
# Two plain tensors have the shape of the weight: nothing tells which of them it is.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.shape = (out_channels, in_channels, kernel_size)
        weight = torch.randn(out_channels, in_channels, kernel_size)
        noise = torch.randn(out_channels, in_channels, kernel_size)
        self.packed = nn.Parameter((weight + noise).reshape(out_channels, -1).t().contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.packed.t().reshape(self.shape))
