import torch


class Model(torch.nn.Module):
    """A transposed convolution with output padding."""

    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = torch.nn.ConvTranspose2d(in_channels, out_channels, kernel_size, stride=2, padding=1,
                                             output_padding=1)

    def forward(self, x):
        return self.conv(x)


def get_inputs():
    return [torch.randn(2, 4, 5, 6)]


def get_init_inputs():
    return [4, 3, 3]
