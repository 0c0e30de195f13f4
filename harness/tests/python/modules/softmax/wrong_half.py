# The powers are rounded to half precision.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        powers = torch.exp(x - x.amax(dim=1, keepdim=True)).half().float()
        return powers / powers.sum(dim=1, keepdim=True)
