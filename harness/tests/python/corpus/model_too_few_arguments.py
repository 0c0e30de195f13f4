# expect: problem=conv-standard-1d cases=tiny,plain verdict=signature_mismatch message="ModelNew cannot be built as the problem's Model is, ModelNew(1, 2, 3, stride=2, padding=1)"
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)

    def forward(self, x):
        return self.conv1d(x)
