# expect: problem=sigmoid cases=tiny,odd verdict=accepted
# The language's functions by name: no module of that name is visible to the kernel.
import triton
from triton import cdiv, jit
from triton.language import arange, constexpr, exp, load, program_id, static_assert, static_range, store


@jit
def logistic(x, y, n, BLOCK: constexpr):
    static_assert(BLOCK % 4 == 0)
    for part in static_range(4):
        at = program_id(0) * BLOCK + part * (BLOCK // 4) + arange(0, BLOCK // 4)
        value = load(x + at, mask=at < n, other=0.0)
        store(y + at, 1 / (1 + exp(-value)), mask=at < n)


def solution(input, output, n, m):
    logistic[(cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
