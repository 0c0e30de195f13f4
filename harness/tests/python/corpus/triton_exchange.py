# expect: part=more problem=relu cases=tiny,odd verdict=accepted
# An exchange and a maximum of floats in memory.
import torch
import triton
import triton.language as tl


@triton.jit
def rectify(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_xchg(y + at, tl.load(x + at, mask=at < n, other=0.0), mask=at < n)
    tl.atomic_max(y + at, 0.0, mask=at < n)


def solution(input):
    output = torch.full_like(input, -1.0)
    rectify[(triton.cdiv(input.numel(), 256),)](input, output, input.numel(), BLOCK=256)
    return output
