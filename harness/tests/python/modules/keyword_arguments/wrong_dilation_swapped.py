# Rows have the dilation of columns, in as far as it fits.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, channels, *, kernel_size, dilation=(1, 1), bias=False):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(channels, 1, *kernel_size))
        self.dilation = dilation

    def forward(self, x):
        _, _, rows, columns = self.weight.shape
        down, right = self.dilation
        height, width = x.shape[2] - (rows - 1) * down, x.shape[3] - (columns - 1) * right
        y = 0
        for i in range(rows):
            for j in range(columns):
                part = x[:, :, i:i + height, j * right:j * right + width]
                y = y + part * self.weight[:, 0, i, j].view(-1, 1, 1)
        return y
