# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="KeyError"
# The second case is refused, in the rehearsal already.
import torch

kernels = {(1, 2): torch.conv1d}


def solution(input, kernel, batch_size, out_channels, stride, padding):
    return kernels[batch_size, out_channels](input, kernel, None, stride, padding)
