# expect: part=more problem=sigmoid cases=tiny,odd verdict=accepted
# One function is imported by name, and is itself a kernel's function.
import triton
import triton.language as tl
from triton.language import sigmoid
from triton.language.math import abs as magnitude


@triton.jit
def logistic(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0.0)
    positive = sigmoid(magnitude(value))
    tl.store(y + at, tl.where(value < 0, 1 - positive, positive), mask=at < n)


def solution(input, output, n, m):
    logistic[(triton.cdiv(n * m, 256),)](input, output, n * m, BLOCK=256)
