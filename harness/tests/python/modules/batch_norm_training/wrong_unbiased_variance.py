# The unbiased variance.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = torch.nn.BatchNorm2d(channels)

    def forward(self, x):
        deviation, mean = torch.std_mean(x, dim=(0, 2, 3), correction=1)
        scale = self.bn.weight / torch.sqrt(deviation**2 + self.bn.eps)
        return x * scale[:, None, None] + (self.bn.bias - mean * scale)[:, None, None]
