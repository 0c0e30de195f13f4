"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = torch.nn.AvgPool3d(kernel_size, stride, padding)

    def forward(self, x):
        return self.pool(x[None, None])[0, 0]
