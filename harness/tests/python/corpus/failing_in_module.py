# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="ValueError: no tuning for this device (failing_in_module.py:6, in choose)"
import torch


def choose(device):
    raise ValueError("no tuning for this device")


block = choose(torch.cuda.get_device_name())


def solution(input, kernel, stride, padding):
    return torch.conv1d(input, kernel, None, stride, padding)
