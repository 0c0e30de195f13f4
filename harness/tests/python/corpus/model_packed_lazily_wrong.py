# expect: part=more problem=conv-standard-1d cases=plain verdict=wrong_answer
# It packs the channels in another order than it unpacks them.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False)
        self.packed = None

    def forward(self, x):
        if self.packed is None:
            self.packed = self.conv1d.weight.detach().permute(1, 0, 2).contiguous()
        return torch.conv1d(x, self.packed.view(self.conv1d.weight.shape))
