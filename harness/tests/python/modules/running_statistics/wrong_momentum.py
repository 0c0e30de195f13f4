# PyTorch's usual momentum.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = torch.nn.BatchNorm1d(channels)

    def forward(self, x):
        return self.bn(x), self.bn.running_mean, self.bn.running_var
