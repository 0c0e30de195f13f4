import torch

features = 48


def scaled(x, factor=0.5):
    return x * factor


class Model(torch.nn.Module):
    """A layer whose answers use names of this file."""

    def __init__(self, n):
        super().__init__()
        self.linear = torch.nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(scaled(self.linear(x)))


def get_inputs():
    return [torch.randn(8, features)]


def get_init_inputs():
    return [features]
