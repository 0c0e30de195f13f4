"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, x, kernel):
        padding = [extent // 2 for extent in kernel.shape]
        return torch.nn.functional.conv1d(x[None, None], kernel[None, None], padding=padding)[0, 0]
