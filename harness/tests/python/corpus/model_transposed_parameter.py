# expect: problem=conv-standard-1d cases=plain case="batch_size=2,in_channels=2,out_channels=5,length=20,kernel_size=5" case="batch_size=2,in_channels=3,out_channels=3,length=20,kernel_size=3" verdict=accepted
# As model_transposed_same_shape.py, and what is packed is a parameter: the second that is made.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        layer = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.transposed = nn.Parameter(layer.weight.detach().permute(2, 1, 0).contiguous())

    def forward(self, x):
        return torch.conv1d(x, self.transposed.permute(2, 1, 0))
