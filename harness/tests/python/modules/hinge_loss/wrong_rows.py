# The label of a row instead of that of a column.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        return torch.clamp(1 - predictions * targets[:, None], min=0).mean()
