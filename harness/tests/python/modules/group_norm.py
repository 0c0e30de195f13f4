import torch


class Model(torch.nn.Module):
    """Group norm."""

    def __init__(self, groups, channels):
        super().__init__()
        self.gn = torch.nn.GroupNorm(groups, channels)

    def forward(self, x):
        return self.gn(x)


def get_inputs():
    return [torch.randn(3, 12, 5, 5)]


def get_init_inputs():
    return [4, 12]
