"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, predictions, targets):
        return torch.clamp(1 - predictions * targets, min=0)
