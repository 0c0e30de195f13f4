# expect: part=more problem=relu cases=tiny,odd verdict=accepted
import torch


def custom_kernel(data, *, block=64):
    input, n, m = data
    assert block == 64
    return torch.relu(input)
