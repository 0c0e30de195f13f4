# expect: part=more problem=relu cases=tiny,odd verdict=accepted
# The language by its full name and by another than `tl`.
import triton
import triton.language as language


@triton.jit
def rectify(x, y, n, BLOCK: language.constexpr, LEAST: triton.language.constexpr):
    at = triton.language.program_id(0) * BLOCK + language.arange(0, BLOCK)
    value = language.load(x + at, mask=at < n, other=0.0)
    triton.language.store(y + at, language.maximum(value, LEAST), mask=at < n)


def solution(input, output, n, m):
    rectify[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256, LEAST=0.0)
