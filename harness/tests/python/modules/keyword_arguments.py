import torch


class Model(torch.nn.Module):
    """Arguments of __init__ by keyword, as a list of a list and a dictionary."""

    def __init__(self, channels, *, kernel_size, dilation=(1, 1), bias=False):
        super().__init__()
        self.conv = torch.nn.Conv2d(channels, channels, kernel_size, dilation=dilation, groups=channels, bias=bias)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 4, 10, 9)]


def get_init_inputs():
    return [[4], {"kernel_size": (3, 2), "dilation": (2, 3)}]
