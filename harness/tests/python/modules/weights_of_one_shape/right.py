# The names tell nothing of which bias is which; the values that the constructors draw do.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width, height):
        super().__init__()
        made = torch.nn.Linear(width, height)
        self.matrix = made.weight
        self.inner = made.bias
        self.outer = torch.nn.Parameter(torch.randn(height))

    def forward(self, x):
        return torch.tanh(x @ self.matrix.T + self.inner) + self.outer
