# expect: part=more problem=conv-standard-1d cases=plain verdict=runtime_error message="cannot assign module before Module.__init__() call (model_no_super_init.py:8, in __init__)"
# What PyTorch says, at the line of the file.
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv1d(x)
