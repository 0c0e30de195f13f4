# expect: problem=relu cases=tiny,odd verdict=accepted
# Assigned, and not defined: it is called with one tuple all the same.
import torch


def kernel(data):
    input, *_ = data
    return torch.relu(input)


custom_kernel = torch.compile(kernel)
