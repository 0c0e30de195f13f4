"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = torch.nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride,
                                                       padding=padding)
        self.batch_norm = torch.nn.BatchNorm2d(out_channels)
        self.group_norm = torch.nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = torch.tanh(self.batch_norm(self.conv_transpose(x)))
        return self.group_norm(torch.nn.functional.max_pool2d(x, 2))
