# expect: problem=relu cases=tiny verdict=accepted emulated=unsupported
# expect: emulated-message="Triton's libdevice function __nv_byte_perm"
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def rectify(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    same = libdevice.int_as_float(libdevice.byte_perm(libdevice.float_as_int(value), 0, 0x3210))
    tl.store(y + at, tl.maximum(same, 0.0), mask=at < n)


def solution(input, output, n, m):
    rectify[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
