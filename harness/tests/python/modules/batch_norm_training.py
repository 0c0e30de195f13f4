import torch


class Model(torch.nn.Module):
    """Batch norm in training mode, which has running statistics and does not use them."""

    def __init__(self, channels):
        super().__init__()
        self.bn = torch.nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.bn(x)


def get_inputs():
    return [torch.rand(4, 6, 5, 3)]


def get_init_inputs():
    return [6]
