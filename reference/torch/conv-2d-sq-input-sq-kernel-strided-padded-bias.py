"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.Conv2d):
    def __init__(self, num_classes):
        super().__init__(3, 96, 11, stride=4, padding=2)
