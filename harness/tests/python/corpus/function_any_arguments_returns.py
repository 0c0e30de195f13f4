# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# No name tells whether it writes its output; it returns it.
import torch


def solution(*tensors, **others):
    return torch.conv1d(tensors[0], tensors[1], None, *tensors[-4:])
