# expect: problem=relu cases=tiny verdict=accepted cuda=accepted|unsupported
# Imported, and used by nothing that the entry point needs: a stand-in is there on the emulated device.
import cutlass.cute as cute
import torch
from numba import cuda


@cuda.jit
def unused(x, y):
    i = cuda.grid(1)
    y[i] = x[i]


@cute.jit
def unused_too(x: cute.Tensor):
    return x


def solution(input, n, m):
    return torch.relu(input)
