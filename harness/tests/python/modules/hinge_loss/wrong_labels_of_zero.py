# As if labels were 0 and 1.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        return torch.clamp(1 - predictions * targets.clamp(min=0), min=0).mean()
