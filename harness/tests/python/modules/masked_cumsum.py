import torch


class Model(torch.nn.Module):
    """Sums of what a mask leaves, one after the other."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        return torch.cumsum(x * mask, dim=self.dim)


def get_inputs():
    return [torch.rand(6, 50), torch.randint(0, 2, (6, 50)).bool()]


def get_init_inputs():
    return [1]
