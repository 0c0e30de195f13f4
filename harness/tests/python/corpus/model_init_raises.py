# expect: problem=conv-standard-1d cases=plain verdict=runtime_error message="NotImplementedError: kernels of 3 only by special order (model_init_raises.py:9, in __init__)"
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        if kernel_size == 3:
            raise NotImplementedError("kernels of 3 only by special order")
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv1d(x)
