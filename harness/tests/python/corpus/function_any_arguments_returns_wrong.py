# expect: part=more problem=conv-standard-1d cases=tiny verdict=wrong_answer message="returned shape [1, 3] for output 'output'"
import torch


def solution(*tensors):
    return torch.zeros(1, 3, device=tensors[0].device)
