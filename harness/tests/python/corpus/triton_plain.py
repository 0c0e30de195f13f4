# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
import torch
import triton
import triton.language as tl


@triton.jit
def convolve(x, w, y, channels, length, taps, extent, stride, padding, BLOCK: tl.constexpr):
    o, b = tl.program_id(1), tl.program_id(2)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(channels):
        for t in range(taps):
            place = at * stride - padding + t
            inside = (place >= 0) & (place < length)
            value = tl.load(x + (b * channels + c) * length + place, mask=inside, other=0.0)
            total += value * tl.load(w + (o * channels + c) * taps + t)
    tl.store(y + (b * tl.num_programs(1) + o) * extent + at, total, mask=at < extent)


def solution(input, kernel, stride, padding):
    batch, channels, length = input.shape
    filters, _, taps = kernel.shape
    extent = (length + 2 * padding - taps) // stride + 1
    output = torch.empty((batch, filters, extent), device=input.device, dtype=input.dtype)
    grid = (triton.cdiv(extent, 64), filters, batch)
    convolve[grid](input, kernel, output, channels, length, taps, extent, stride, padding, BLOCK=64)
    return output
