# expect: problem=sigmoid cases=tiny,odd verdict=accepted
# Inline assembly of one instruction.
import triton
import triton.language as tl


@triton.jit
def logistic(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    sum = tl.inline_asm_elementwise("add.rn.f32 $0, $1, $2;", "=f,f,f", [1.0 + tl.zeros_like(value), tl.exp(-value)],
                                    dtype=tl.float32, is_pure=True, pack=1)
    result = tl.inline_asm_elementwise(asm="rcp.rn.f32 $0, $1;", constraints="=r,r", args=[sum], dtype=tl.float32,
                                       is_pure=True, pack=1)
    tl.store(y + at, result, mask=at < n)


def solution(input, output, n, m):
    logistic[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
