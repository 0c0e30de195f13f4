# expect: problem=conv-pointwise-2d cases=many-channels verdict=low_precision
# tl.dot as it is by default: operands are rounded to TF32.
import torch
import triton
import triton.language as tl


@triton.jit
def product(w, x, y, filters, channels, positions, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, channels, BK):
        k = first + tl.arange(0, BK)
        left = tl.load(w + rows[:, None] * channels + k[None, :],
                       mask=(rows[:, None] < filters) & (k[None, :] < channels), other=0.0)
        right = tl.load(x + k[:, None] * positions + columns[None, :],
                        mask=(k[:, None] < channels) & (columns[None, :] < positions), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(y + rows[:, None] * positions + columns[None, :], total,
             mask=(rows[:, None] < filters) & (columns[None, :] < positions))


def solution(input, kernel, batch_size, in_channels, out_channels, height, width):
    output = torch.empty((batch_size, out_channels, height, width), device=input.device)
    positions = height * width
    grid = (triton.cdiv(out_channels, 16), triton.cdiv(positions, 32))
    for image, result in zip(input, output):
        product[grid](kernel, image, result, out_channels, in_channels, positions, BM=16, BN=32, BK=16)
    return output
