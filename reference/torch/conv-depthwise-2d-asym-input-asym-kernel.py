"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Conv2d):
    def __init__(self, in_channels, out_channels, kernel_size_h, kernel_size_w, stride_h, stride_w, padding_h, padding_w,
                 dilation_h, dilation_w, groups, bias=False):
        super().__init__(in_channels, in_channels, (kernel_size_h, kernel_size_w), stride=(stride_h, stride_w),
                         padding=(padding_h, padding_w), dilation=(dilation_h, dilation_w), groups=in_channels, bias=bias)
