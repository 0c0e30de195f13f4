import torch


class Model(torch.nn.Module):
    """A convolution with bias, stride and padding."""

    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = torch.nn.Conv2d(in_channels, out_channels, kernel_size, stride=2, padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.rand(2, 3, 9, 11)]


def get_init_inputs():
    return [3, 5, 3]
