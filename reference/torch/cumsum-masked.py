"""Running sum of the masked elements of rows, as KernelBench's Model states it."""

import torch


class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input, mask):
        return torch.cumsum(input * mask, dim=self.dim)
