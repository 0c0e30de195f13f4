"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, image, kernel):
        padding = [extent // 2 for extent in kernel.shape]
        convolved = torch.nn.functional.conv2d(image[None, None], kernel[None, None], padding=padding)
        return torch.nn.functional.hardswish(torch.relu(convolved))[0, 0]
