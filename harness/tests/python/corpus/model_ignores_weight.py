# expect: problem=conv-standard-1d cases=plain verdict=wrong_answer
# The parameter has the right name and shape; the convolution uses another one.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(out_channels, in_channels, kernel_size))
        self.other = torch.rand(out_channels, in_channels, kernel_size).cuda()

    def forward(self, x):
        return torch.conv1d(x, self.other)
