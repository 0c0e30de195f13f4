# Its own names count more than those of the problem's file.
import torch
import torch.nn as nn

features = 1


def scaled(x):
    return x * features / 2


class ModelNew(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = nn.Linear(n, n)

    def forward(self, x):
        return torch.relu(scaled(self.linear(x)))
