# expect: problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain verdict=signature_mismatch
# expect: message="add the line: # kgrade: state bn_weight="
# Four vectors of the same shape, and nothing says which is which.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, groups, num_groups):
        super().__init__()
        self.taps = nn.Parameter(torch.randn(in_channels, out_channels, kernel_size, kernel_size))
        self.gamma1, self.beta1 = nn.Parameter(torch.ones(out_channels)), nn.Parameter(torch.zeros(out_channels))
        self.gamma2, self.beta2 = nn.Parameter(torch.ones(out_channels)), nn.Parameter(torch.zeros(out_channels))
        self.stride, self.padding, self.num_groups = stride, padding, num_groups

    def forward(self, x):
        x = F.conv_transpose2d(x, self.taps, None, self.stride, self.padding)
        x = F.batch_norm(x, None, None, self.gamma1, self.beta1, training=True)
        return F.group_norm(F.max_pool2d(torch.tanh(x), 2), self.num_groups, self.gamma2, self.beta2)
