import torch


class ModelNew(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(in_channels, out_channels, kernel_size, kernel_size))
        self.bias = torch.nn.Parameter(torch.empty(out_channels))

    def forward(self, x):
        n, channels, rows, columns = x.shape
        spread = x.new_zeros(n, channels, 2 * rows, 2 * columns)
        spread[:, :, ::2, ::2] = x
        kernel = self.weight.transpose(0, 1).flip(2, 3)
        y = torch.nn.functional.conv2d(spread, kernel, self.bias, padding=1)
        return y
