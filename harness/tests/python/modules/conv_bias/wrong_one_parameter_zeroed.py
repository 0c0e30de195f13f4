# The largest element of the weight is zero.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = torch.nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        weight = self.conv.weight.clone()
        weight.view(-1)[weight.abs().argmax()] = 0
        columns = torch.nn.functional.unfold(x, weight.shape[2:], stride=2, padding=1)
        y = weight.flatten(1) @ columns + self.conv.bias[:, None]
        return y.view(x.shape[0], -1, (x.shape[2] + 1) // 2, (x.shape[3] + 1) // 2)
