import torch


class Model(torch.nn.Module):
    """Two layers that share one weight."""

    def __init__(self, width):
        super().__init__()
        self.first = torch.nn.Linear(width, width)
        self.second = torch.nn.Linear(width, width)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def get_inputs():
    return [torch.randn(10, 12)]


def get_init_inputs():
    return [12]
