# The unbiased variance.
import torch
from torch.nn.functional import conv2d


def normalised(x, bn):
    variance, mean = torch.var_mean(x, dim=(0, 2, 3), keepdim=True, correction=1)
    scale = bn.weight.view(1, -1, 1, 1) * torch.rsqrt(variance + bn.eps)
    return (x - mean) * scale + bn.bias.view(1, -1, 1, 1)


class ModelNew(torch.nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(out_channels)
        self.conv2 = torch.nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(out_channels)
        self.shortcut = torch.nn.Sequential(torch.nn.Conv2d(in_channels, out_channels, 1),
                                            torch.nn.BatchNorm2d(out_channels))

    def forward(self, x):
        y = normalised(conv2d(x, self.conv1.weight, padding=1), self.bn1).relu()
        y = normalised(conv2d(y, self.conv2.weight, padding=1), self.bn2)
        # A bias before batch norm goes out with the mean.
        beside = normalised(conv2d(x, self.shortcut[0].weight), self.shortcut[1])
        return (y + beside).relu()
