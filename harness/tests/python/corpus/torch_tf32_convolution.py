# expect: part=more problem=conv-pointwise-2d cases=many-channels verdict=low_precision|accepted emulated=low_precision
# cuDNN chooses whether to use what it is allowed to.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, in_channels, out_channels, bias=False):
        super().__init__()
        torch.backends.cudnn.allow_tf32 = True
        self.conv = torch.nn.Conv2d(in_channels, out_channels, 1, bias=bias)

    def forward(self, input):
        return self.conv(input)
