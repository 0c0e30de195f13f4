"""Exclusive running sum of rows, as KernelBench's Model states it."""

import torch


class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        sums = torch.cumsum(input, dim=self.dim)
        return torch.cat((torch.zeros_like(sums[:, :1]), sums[:, :-1]), dim=1)
