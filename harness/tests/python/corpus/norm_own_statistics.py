# expect: part=more problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain verdict=wrong_answer|low_precision
# Normalises with averages over all calls so far: right in the first one only.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)
        self.seen = 0

    def forward(self, x):
        x = self.conv_transpose(x)
        mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
        share = self.seen / (self.seen + 1)
        self.mean = mean if self.seen == 0 else share * self.mean + (1 - share) * mean
        self.variance = variance if self.seen == 0 else share * self.variance + (1 - share) * variance
        self.seen += 1
        x = F.batch_norm(x, self.mean, self.variance, self.batch_norm.weight, self.batch_norm.bias, training=False)
        return self.group_norm(F.max_pool2d(torch.tanh(x), 2))
