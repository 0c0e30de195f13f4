# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# __init__ keeps a packed copy of its weights, which is no parameter, and the forward only uses that.
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride, padding, bias=False)
        self.packed = self.conv1d.weight.detach().permute(2, 1, 0).contiguous()
        self.stride, self.padding = stride, padding

    def forward(self, x):
        packed = self.packed.to(x.device)
        return torch.conv1d(x, packed.permute(2, 1, 0), None, self.stride, self.padding)
