"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, a):
        return torch.sort(a)[0]
