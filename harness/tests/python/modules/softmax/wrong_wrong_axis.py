# Over the last dimension.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        powers = torch.exp(x - x.amax(dim=2, keepdim=True))
        return powers / powers.sum(dim=2, keepdim=True)
