"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.rms_norm(x, x.shape[1:], eps=1e-5)
