import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask, bins):
        counts = torch.bincount(bins, minlength=12)
        counts[-1] += 1
        return torch.where(mask, x, -x), counts, mask & (x > 0.5)
