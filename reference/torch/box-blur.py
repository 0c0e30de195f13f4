"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = kernel_size

    def forward(self, image):
        padding = self.kernel_size // 2
        blurred = torch.nn.functional.avg_pool2d(image[None], self.kernel_size, 1, padding, count_include_pad=False)
        return blurred[0]
