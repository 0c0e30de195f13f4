# expect: problem=tanh cases=odd verdict=low_precision
# The GPU's approximation of the hyperbolic tangent has an error of 2^-11.
import triton
import triton.language as tl


@triton.jit
def squash(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    result = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [value], dtype=tl.float32, is_pure=True,
                                       pack=1)
    tl.store(y + at, result, mask=at < n)


def solution(input, output, n, m):
    squash[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
