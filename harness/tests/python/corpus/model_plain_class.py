# expect: problem=conv-standard-1d cases=plain verdict=signature_mismatch message="ModelNew"
# A class, and no module.
import torch


class ModelNew:
    def __init__(self, in_channels, out_channels, kernel_size):
        self.weight = torch.rand(out_channels, in_channels, kernel_size)

    def __call__(self, x):
        return torch.conv1d(x, self.weight)
