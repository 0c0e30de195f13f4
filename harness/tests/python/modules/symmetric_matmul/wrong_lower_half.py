# Only half of a matrix.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return torch.tril(A) @ B
