# expect: part=more problem=relu cases=tiny,odd verdict=accepted
# Elements are exchanged, taken apart and put together again.
import triton
import triton.language as tl


@triton.jit
def rectify(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    turned = tl.gather(value, BLOCK - 1 - tl.arange(0, BLOCK), axis=0)
    even, odd = tl.split(tl.reshape(tl.maximum(turned, 0.0), (BLOCK // 2, 2)))
    whole = tl.reshape(tl.trans(tl.permute(tl.join(even, odd), (1, 0))), (BLOCK,))
    tl.debug_barrier()
    again = tl.interleave(*tl.split(whole.reshape(BLOCK // 2, 2)))
    tl.store(y + at, tl.gather(again, BLOCK - 1 - tl.arange(0, BLOCK), 0), mask=at < n)


def solution(input, output, n, m):
    rectify[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
