"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.argsort(x, dim=1)
