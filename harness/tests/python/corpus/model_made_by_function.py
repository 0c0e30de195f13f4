# expect: problem=conv-standard-1d cases=plain verdict=accepted
# ModelNew is a function that makes modules.
import torch.nn as nn


def ModelNew(in_channels, out_channels, kernel_size):
    return nn.Sequential(nn.Conv1d(in_channels, out_channels, kernel_size, bias=False))
