# expect: part=more problem=tanh cases=tiny,odd verdict=accepted
import triton
import triton.language as tl
from triton.language.extra.cuda.libdevice import tanh


@triton.jit
def squash(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tanh(tl.load(x + at, mask=at < n, other=0.0)), mask=at < n)


def solution(input, output, n, m):
    squash[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
