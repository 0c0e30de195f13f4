# expect: problem=gelu cases=tiny,odd verdict=accepted
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gelu(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    half = libdevice.mul_rn(value, 0.5)
    # By both names of the library.
    magnitude = libdevice.abs(tl.extra.cuda.libdevice.erf(value * 0.7071067811865476))
    tl.store(y + at, half + half * libdevice.copysign(magnitude, value), mask=at < n)


def solution(input, output, n, m):
    gelu[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
