# expect: part=more problem=relu cases=tiny,odd verdict=accepted
# A dropout that keeps everything.
import triton
import triton.language as tl


@triton.jit
def rectify(x, y, n, seed, keep, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    kept = tl.rand(seed, at) < keep
    tl.store(y + at, tl.where(kept, tl.maximum(value, 0.0) / keep, 0.0), mask=at < n)


def solution(input, output, n, m):
    rectify[(triton.cdiv(n * m, 256),)](input, output, n * m, 123, 1.0, BLOCK=256)
