# expect: part=more problem=relu cases=tiny,odd verdict=accepted
import torch


def custom_kernel(*data):
    (input, n, m), = data
    return torch.relu(input)
