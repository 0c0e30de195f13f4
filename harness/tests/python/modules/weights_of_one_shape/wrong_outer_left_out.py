# Without the bias behind the activation.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, width, height):
        super().__init__()
        made = torch.nn.Linear(width, height)
        self.matrix = made.weight
        self.inner = made.bias
        self.outer = torch.nn.Parameter(torch.randn(height))

    def forward(self, x):
        return torch.tanh(x @ self.matrix.T + self.inner)
