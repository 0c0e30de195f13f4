import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        torch.sin(x.mT, out=y)
        return y
