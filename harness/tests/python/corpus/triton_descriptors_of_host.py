# expect: part=more problem=relu cases=square,one-block verdict=accepted
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def rectify(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    y.store([row, column], tl.maximum(x.load([row, column]), 0.0))


def solution(input, output, n, m):
    x = TensorDescriptor.from_tensor(input, block_shape=[4, 16])
    y = TensorDescriptor(output, shape=[n, m], strides=[m, 1], block_shape=[4, 16])
    rectify[(triton.cdiv(n, 4), triton.cdiv(m, 16))](x, y, ROWS=4, COLUMNS=16)
