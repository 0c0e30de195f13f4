# expect: problem=conv-standard-1d cases=plain verdict=signature_mismatch message="ModelNew's 'conv1d.weight' has no shape before the first forward"
# Its weights have no shape until the first forward.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.LazyConv1d(out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv1d(x)
