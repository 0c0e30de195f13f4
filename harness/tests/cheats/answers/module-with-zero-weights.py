# cheat: a module that puts zeros in the place of the weights
# row: 51
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# The oracle has the problem's.
import torch


class ModelNew(torch.nn.Module):
    """A convolution of nothing."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.conv1d = torch.nn.Conv1d(*args, **kwargs)

    def forward(self, x):
        self.conv1d.weight.data.zero_()
        n, _, length = x.shape
        k, = self.conv1d.kernel_size
        return x.new_zeros(n, self.conv1d.out_channels, length - k + 1)
