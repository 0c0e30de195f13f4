# expect: problem=conv-depthwise-2d-square-input-asym-kernel case="batch_size=2,in_channels=3,out_channels=3,height=7,width=6,kernel_h=3,kernel_w=1,groups=3" verdict=accepted
# The kernel [channels, 1, extent, 1] without its dimensions of 1.
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, kernel_size, stride=1, padding=0, dilation=1, bias=False):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, kernel_size))
        nn.init.kaiming_uniform_(self.weight)
        self.how = (None, stride, padding, dilation, in_channels)

    def forward(self, x):
        return F.conv2d(x, self.weight[:, None, :, None], *self.how)
