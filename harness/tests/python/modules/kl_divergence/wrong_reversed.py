# The divergence the other way.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, predictions, targets):
        return (predictions * (predictions.log() - targets.log())).sum() / predictions.shape[0]
