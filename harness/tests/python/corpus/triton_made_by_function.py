# expect: problem=relu cases=tiny,odd verdict=accepted
# A kernel for each constant, made inside of a function; logic on whole blocks; Python's own min and max.
import triton
import triton.language as tl

kernels = {}


def kernel_above(least):
    limit = tl.constexpr(least)

    @triton.jit
    def rectify(x, y, n, m, BLOCK: tl.constexpr):
        row, column = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = (row < n) and (column < m) and not (column < 0)
        value = tl.load(x + row * m + column, mask=inside, other=0.0)
        assert BLOCK >= min(BLOCK, 64), "a block of 64 at least"
        tl.store(y + row * m + column, max(value, limit), mask=inside)

    return rectify


def solution(input, output, n, m):
    kernel = kernels.setdefault(0, kernel_above(0.0))
    kernel[(n, triton.cdiv(m, 64))](input, output, n, m, BLOCK=64)
