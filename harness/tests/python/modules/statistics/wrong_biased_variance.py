# The biased variance.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        mean = x.sum(dim=1) / x.shape[1]
        centred = x - mean[:, None]
        variance = (centred**2).sum(dim=1) / x.shape[1]
        normalised = centred * (variance + 1e-3).rsqrt()[:, None]
        return [mean, variance, normalised]
