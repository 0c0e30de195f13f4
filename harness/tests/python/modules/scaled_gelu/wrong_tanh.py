# The approximation by tanh.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = 0.5 * torch.nn.functional.gelu(x, approximate="tanh") + x
        return y
