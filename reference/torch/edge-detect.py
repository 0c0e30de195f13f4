"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Module):
    def forward(self, image):
        along_x = (image[1:-1, 2:] - image[1:-1, :-2]) / 2
        along_y = (image[2:, 1:-1] - image[:-2, 1:-1]) / 2
        lengths = torch.nn.functional.pad(torch.hypot(along_x, along_y), (1, 1, 1, 1))
        largest = lengths.max()
        return torch.where(largest > 0, 255 * lengths / largest, 0)
