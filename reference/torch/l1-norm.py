"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x / (torch.linalg.vector_norm(x, ord=1, dim=1, keepdim=True) + 1e-10)
