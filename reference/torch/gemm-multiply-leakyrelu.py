"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, a, b, c):
        return torch.nn.functional.leaky_relu((a @ b) * c, self.slope)
