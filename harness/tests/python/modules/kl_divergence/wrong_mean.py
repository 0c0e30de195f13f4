# The mean of all elements instead of that of the rows.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        return (targets * (targets.log() - predictions.log())).mean()
