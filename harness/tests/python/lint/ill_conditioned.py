import torch


class Model(torch.nn.Module):
    """What is left of numbers around 10000."""

    def forward(self, x):
        return (x + 10000) ** 2 - 100000000


def get_inputs():
    return [torch.rand(8, 30)]


def get_init_inputs():
    return []
