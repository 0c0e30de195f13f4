# expect: part=more problem=conv-standard-1d cases=plain verdict=accepted
# __init__ keeps another view of its weights.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, bias=False).cuda()
        self.taps = [self.conv1d.weight.detach()[:, :, tap] for tap in range(kernel_size)]

    def forward(self, x):
        extent = x.shape[2] - len(self.taps) + 1
        return sum(torch.einsum("oc,bcx->box", tap, x[:, :, t:t + extent]) for t, tap in enumerate(self.taps))
