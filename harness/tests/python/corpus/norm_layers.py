# expect: problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain,one-group verdict=accepted
# Every layer as PyTorch has it, the batch norm with running statistics that it updates.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=stride, padding=padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.max_pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.group_norm = nn.GroupNorm(num_groups=num_groups, num_channels=out_channels)

    def forward(self, x):
        x = torch.tanh(self.batch_norm(self.conv_transpose(x)))
        return self.group_norm(self.max_pool(x))
