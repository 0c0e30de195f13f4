# Without the diagonal of a factor.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, A, B):
        return torch.tril(A, -1) @ B
