"""PyTorch's own answer, as a baseline."""

import torch


class Model(torch.nn.GELU):
    def __init__(self):
        super().__init__(approximate="tanh")
