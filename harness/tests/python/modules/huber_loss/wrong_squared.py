# Half of the squared error.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        distance = (predictions - targets).abs()
        return (distance**2 / 2).mean()
