# The last element is left out of the sum.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        powers = torch.exp(x - x.amax(dim=1, keepdim=True))
        return powers / powers[:, :-1].sum(dim=1, keepdim=True)
