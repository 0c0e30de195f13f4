# expect: problem=conv-standard-1d cases=tiny,everything verdict=signature_mismatch message="the file defines none of 'solution'"
import torch


def convolution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
