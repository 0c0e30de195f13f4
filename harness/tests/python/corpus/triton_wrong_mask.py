# expect: problem=conv-standard-1d cases=tiny verdict=wrong_answer
# The padding is read from the neighbouring rows: only the store has a mask.
import torch
import triton
import triton.language as tl


@triton.jit
def convolve(x, w, y, length, taps, extent, stride, padding, BLOCK: tl.constexpr):
    o = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for t in range(taps):
        place = tl.minimum(tl.maximum(at * stride - padding + t, 0), length - 1)
        total += tl.load(x + place) * tl.load(w + o * taps + t)
    tl.store(y + o * extent + at, total, mask=at < extent)


def solution(input, kernel, length, kernel_size, stride, padding, out_channels):
    extent = (length + 2 * padding - kernel_size) // stride + 1
    output = torch.empty((1, out_channels, extent), device="cuda")
    convolve[(out_channels,)](input, kernel, output, length, kernel_size, extent, stride, padding, BLOCK=16)
    return output
