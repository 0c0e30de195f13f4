"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x):
        return self.width * torch.nn.functional.avg_pool1d(x[None], self.width, 1, self.width // 2)[0]
