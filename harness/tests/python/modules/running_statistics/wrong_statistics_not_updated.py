# The statistics of before the call.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = torch.nn.BatchNorm1d(channels, momentum=0.25)

    def forward(self, x):
        mean, variance = self.bn.running_mean.clone(), self.bn.running_var.clone()
        return self.bn(x), mean, variance
