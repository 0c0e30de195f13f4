import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask, bins):
        return torch.where(mask, x, -x), torch.bincount(bins, minlength=12), mask | (x > 0.5)
