# expect: part=more problem=conv-standard-1d cases=plain verdict=wrong_answer
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.answer = None

    def forward(self, x):
        if self.answer is None:
            self.answer = self.conv1d(x)
        return self.answer
