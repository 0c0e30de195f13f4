# expect: problem=conv-standard-1d cases=everything verdict=wrong_answer
# The extents come out right, since the input is cut: only the values are wrong.
import torch


def solution(input, kernel, batch_size, out_channels, length, kernel_size, stride, padding, dilation, groups):
    extent = (length + 2 * padding - dilation * (kernel_size - 1) - 1) // stride + 1
    return torch.conv1d(input, kernel, None, stride, padding, 1, groups)[:, :, :extent].contiguous()
