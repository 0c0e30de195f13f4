"""Running product of rows, as KernelBench's Model states it."""

import torch


class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return torch.cumprod(input, dim=self.dim)
