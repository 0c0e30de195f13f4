"""For cheats: an answer that is equal to its input, in memory of its own."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.clone()


def get_inputs():
    return [torch.randn(60, 40)]


def get_init_inputs():
    return []
