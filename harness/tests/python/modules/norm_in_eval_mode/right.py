import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, channels, 3)
        self.bn = torch.nn.BatchNorm2d(channels)

    def forward(self, x):
        scale = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
        return self.conv(x) * scale[:, None, None] + (self.bn.bias - self.bn.running_mean * scale)[:, None, None]
