"""For cheats: random numbers that each call draws anew."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(torch.tanh(x)) + 1


def get_inputs():
    return [torch.randn(60, 40)]


def get_init_inputs():
    return []
