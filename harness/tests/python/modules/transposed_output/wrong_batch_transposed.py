# The wrong two dimensions are swapped, in as far as they fit.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        torch.sin(x.flip(0).mT, out=y)
        return y
