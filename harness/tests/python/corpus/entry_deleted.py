# expect: problem=conv-standard-1d cases=tiny,everything verdict=signature_mismatch message="defines no 'solution' when it has run"
import torch


def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)


del solution
