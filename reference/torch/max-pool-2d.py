"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.pool = torch.nn.MaxPool2d(kernel_size, stride, padding, dilation)

    def forward(self, x):
        return self.pool(x[None, None])[0, 0]
