# expect: problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=plain,stride-2x3 verdict=accepted
# expect: note="cannot state 1"
# A module has one stride for both axes.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding)
        self.batch_norm = nn.BatchNorm2d(out_channels, track_running_stats=False)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.tanh(self.batch_norm(self.conv_transpose(x))), 2)
        return self.group_norm(x)
