# expect: problem=relu cases=tiny verdict=accepted emulated=unsupported
# expect: emulated-message="Gluon"
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def rectify(x, y, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(y + at, gl.maximum(gl.load(x + at, mask=at < n, other=0.0), 0.0), mask=at < n)


def solution(input, output, n, m):
    rectify[(triton.cdiv(n * m, 128),)](input, output, n * m, BLOCK=128, num_warps=4)
