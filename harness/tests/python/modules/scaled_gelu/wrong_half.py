# Computed in half precision.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.half()
        y = 0.25 * x * (1 + torch.erf(x * 0.5**0.5)) + x
        return y.float()
