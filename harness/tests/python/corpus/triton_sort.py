# expect: problem=array-sort cases=tiny,odd verdict=accepted
import triton
import triton.language as tl


@triton.jit
def sort(a, b, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.sort(tl.load(a + at, mask=at < n, other=0x7FFFFFFF), descending=True)
    tl.store(b + at, tl.flip(values), mask=at < n)


def solution(a, b, n):
    sort[(1,)](a, b, n, BLOCK=triton.next_power_of_2(n))
