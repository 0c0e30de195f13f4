# expect: problem=relu cases=tiny verdict=accepted emulated=unsupported
# expect: emulated-message="Triton's inline assembly 'max.f32"
import triton
import triton.language as tl


@triton.jit
def rectify(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    result = tl.inline_asm_elementwise("""
        max.f32 $0, $1, 0f00000000;
        mov.b32 $0, $0;
        """, "=f,f", [value], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(y + at, result, mask=at < n)


def solution(input, output, n, m):
    rectify[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
