import torch


class Model(torch.nn.Module):
    """A product with a triangular matrix, whose mask is a buffer."""

    def __init__(self, n):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(n, n)))
        self.weight = torch.nn.Parameter(torch.randn(n, n))

    def forward(self, x):
        return torch.matmul(x, self.weight * self.mask)


def get_inputs():
    return [torch.randn(9, 14)]


def get_init_inputs():
    return [14]
