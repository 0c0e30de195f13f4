# expect: problem=conv-transpose-2d-asym-input-sq-kernel-dilated-padded-strided cases=kernelbench-small,stride-2x3
# expect: verdict=accepted note="cannot state 1"
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.conv_transpose2d = nn.ConvTranspose2d(in_channels, out_channels, (kernel_size, kernel_size), stride=stride,
                                                   padding=padding, dilation=dilation, bias=bias)

    def forward(self, x):
        return self.conv_transpose2d(x)
