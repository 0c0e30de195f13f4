import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, y, z):
        return torch.addmm(z, x, y)
