import torch


class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = torch.nn.Linear(features, features)  # noqa: F821

    def forward(self, x):
        return torch.relu(0.5 * self.linear(x))
