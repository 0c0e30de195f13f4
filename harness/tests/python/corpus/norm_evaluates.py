# expect: problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain verdict=wrong_answer
# Uses running statistics, as in evaluation: they are those of no batch.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)
        self.eval()

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.tanh(self.batch_norm(self.conv_transpose(x))), 2)
        return self.group_norm(x)
