# expect: problem=conv-standard-1d cases=tiny,plain,everything verdict=runtime_error message="KeyError: (2, 5) (failing_in_one_case.py:9, in solution); 2 of 3 cases failed"
# The others are graded: the process goes on after an exception.
import torch

kernels = {(1, 2): torch.conv1d}


def solution(input, kernel, batch_size, out_channels, stride, padding, dilation, groups):
    return kernels[batch_size, out_channels](input, kernel, None, stride, padding, dilation, groups)
