# expect: problem=cumsum-rows cases=tiny,odd,one-row verdict=accepted
# A scan and a reduction with functions of the kernel's own, over two tensors at once.
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def join(value, flag, next_value, next_flag):
    return tl.where(next_flag > 0, next_value, value + next_value), flag + next_flag


@triton.jit
def scan(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    before = tl.full((), 0.0, tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
        sums, _ = tl.associative_scan((value, tl.zeros_like(value)), axis=0, combine_fn=join)
        tl.store(y + row * columns + at, before + sums, mask=at < columns)
        before += tl.reduce(value, 0, add)


def solution(input, output, rows, columns):
    scan[(rows,)](input, output, columns, BLOCK=64)
