# The elements in the order of memory, not of the output.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        torch.sin(x, out=y)
        return y
