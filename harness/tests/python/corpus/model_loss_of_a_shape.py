# expect: problem=mse-loss cases=tiny verdict=accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        return torch.mean((predictions - targets) ** 2)
