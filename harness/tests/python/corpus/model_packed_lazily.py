# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# The first forward packs the weights, later ones use them again: weights stay as they are for a process.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=False)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = self.conv1d.weight.detach().flatten(1).t().contiguous()
        weight = self.packed.t().view(self.conv1d.weight.shape)
        return torch.conv1d(x, weight, None, self.conv1d.stride, self.conv1d.padding)
