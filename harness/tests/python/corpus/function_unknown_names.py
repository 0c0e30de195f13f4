# expect: problem=conv-standard-1d cases=tiny,everything verdict=signature_mismatch message="function_unknown_names.py:5: 'solution' takes 'x'"
import torch


def solution(x, weight, stride, padding, dilation, groups):
    return torch.conv1d(x, weight, None, stride, padding, dilation, groups)
