# expect: problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain verdict=wrong_answer
# Weights of norms are 1 and biases 0 when PyTorch has made them; here they are drawn.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.conv_transpose = nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride, padding)
        self.batch_norm = nn.BatchNorm2d(out_channels)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = F.batch_norm(self.conv_transpose(x), None, None, training=True)
        return F.group_norm(F.max_pool2d(torch.tanh(x), 2), self.group_norm.num_groups)
