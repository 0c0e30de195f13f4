# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# The same memory in every call, written anew each time.
import torch

buffers = {}


def solution(input, kernel, stride, padding):
    result = torch.conv1d(input, kernel, None, stride, padding)
    buffer = buffers.setdefault(result.shape, torch.empty_like(result))
    return buffer.copy_(result)
