import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = 0.25 * x * (1 + torch.erf(x * 0.5**0.5)) + x
        return y
