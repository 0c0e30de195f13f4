import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        distance = (predictions - targets).abs()
        return torch.where(distance < 1, distance**2 / 2, distance - 0.5).mean()
