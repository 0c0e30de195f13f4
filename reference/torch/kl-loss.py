"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, predictions, targets):
        p, t = predictions.clamp(min=1e-10), targets.clamp(min=1e-10)
        return torch.where(targets > 0, t * (t.log() - p.log()), 0)
