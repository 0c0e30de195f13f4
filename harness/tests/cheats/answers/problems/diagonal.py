"""For cheats: an answer that is zero almost everywhere."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.diag(torch.exp(x))


def get_inputs():
    return [torch.randn(600)]


def get_init_inputs():
    return []
