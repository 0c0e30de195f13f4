# expect: part=more problem=relu cases=tiny,odd verdict=accepted
# One that needs more than one argument cannot be called with one tuple: it gets what it names.
import torch


def custom_kernel(input, output):
    output.copy_(torch.relu(input))
