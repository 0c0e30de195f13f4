# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error
# Puts back what it changed.
import torch


def solution(input, kernel, output, stride, padding):
    kernel.neg_()
    output.copy_(torch.conv1d(input, kernel, None, stride, padding).neg_())
    kernel.neg_()
