# Without the diagonal.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(n, n))

    def forward(self, x):
        lower = self.weight.tril(-1)
        return torch.einsum("ik,kj->ij", x, lower)
