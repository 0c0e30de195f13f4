# expect: part=more problem=relu cases=tiny verdict=accepted|unsupported emulated=unsupported
# expect: emulated-message="Numba cannot run on the emulated device"
import torch
from numba import cuda


@cuda.jit
def rectify(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = max(x[i], 0.0)


def solution(input, output, n, m):
    stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
    rectify[(n * m + 255) // 256, 256, stream](cuda.as_cuda_array(input.view(-1)), cuda.as_cuda_array(output.view(-1)))
