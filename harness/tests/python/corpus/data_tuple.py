# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# Inputs and scalars in the problem's order, as one argument.
import torch.nn.functional as F


def custom_kernel(data):
    input, kernel, batch_size, in_channels, out_channels, length, kernel_size, stride, padding, dilation, groups = data
    return F.conv1d(input, kernel, None, stride, padding, dilation, groups)
