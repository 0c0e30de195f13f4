# expect: part=more problem=conv-transpose-2d-asym-input-sq-kernel-dilated-padded-strided cases=kernelbench-small
# expect: verdict=signature_mismatch message="ModelNew also has weight [5, 3, 3, 3]"
# Output channels first, as the other convolution has them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, bias=False):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_channels, in_channels, kernel_size, kernel_size))
        self.how = (None, stride, padding, 0, 1, dilation)

    def forward(self, x):
        return nn.functional.conv_transpose2d(x, self.weight.transpose(0, 1), *self.how)
