# expect: part=more problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain,one-group verdict=accepted
# Parameters of its own with the last parts of the usual names; no bias and no running statistics.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Affine(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_channels, out_channels, kernel_size, kernel_size))
        self.batch_norm, self.group_norm = Affine(out_channels), Affine(out_channels)
        self.stride, self.padding, self.num_groups = stride, padding, num_groups

    def forward(self, x):
        x = F.conv_transpose2d(x, self.weight, None, self.stride, self.padding)
        mean = x.mean((0, 2, 3), keepdim=True)
        variance = x.var((0, 2, 3), unbiased=False, keepdim=True)
        x = (x - mean) * torch.rsqrt(variance + 1e-5)
        x = torch.tanh(x * self.batch_norm.weight.view(1, -1, 1, 1) + self.batch_norm.bias.view(1, -1, 1, 1))
        x = F.max_pool2d(x, 2)
        return F.group_norm(x, self.num_groups, self.group_norm.weight, self.group_norm.bias)
