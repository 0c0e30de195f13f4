import torch
from torch.nn.functional import pad


class ModelNew(torch.nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.size = kernel_size

    def windows(self, x):
        return x.unfold(2, self.size, 2).unfold(3, self.size, 2)

    def forward(self, x):
        border, zero = (1, 1, 1, 1), 0.0
        maxima = self.windows(pad(x, border, value=float("-inf"))).amax(dim=(-2, -1))
        sums = self.windows(pad(x, border, value=zero)).sum(dim=(-2, -1))
        counts = self.windows(pad(torch.ones_like(x), border, value=zero)).sum(dim=(-2, -1))
        return maxima, sums / counts
