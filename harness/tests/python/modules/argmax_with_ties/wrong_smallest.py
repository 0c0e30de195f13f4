import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.argmin(x, dim=1)
