# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=wrong_answer
# Hopes to find an older answer in memory that was given back.
import torch


def solution(input, kernel, batch_size, out_channels, length, kernel_size, stride, padding):
    extent = (length + 2 * padding - kernel_size) // stride + 1
    return torch.empty(batch_size, out_channels, extent, device=input.device)
