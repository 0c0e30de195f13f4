"""Running sum of rows from the end, as KernelBench's Model states it."""

import torch


class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return torch.cumsum(input.flip(self.dim), dim=self.dim).flip(self.dim)
