# Its own buffers are not put back: each call goes on from the one before.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = torch.nn.BatchNorm1d(channels)
        self.mean = torch.zeros(channels)
        self.variance = torch.ones(channels)

    def forward(self, x):
        y = torch.nn.functional.batch_norm(x, self.mean, self.variance, self.bn.weight, self.bn.bias, True, 0.25, 1e-5)
        return y, self.mean.clone(), self.variance.clone()
