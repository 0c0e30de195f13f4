"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.sigmoid(a @ b).sum()
