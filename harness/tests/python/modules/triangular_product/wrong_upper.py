# The upper triangle.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return torch.triu(A @ B)
