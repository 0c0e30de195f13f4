import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask, bins):
        signs = mask.float() * 2 - 1
        return x * signs, torch.bincount(bins, minlength=12), torch.logical_and(mask, x > 0.5)
