# expect: problem=matrix-multiplication cases=tiny,odd,over-a-tile verdict=accepted
# Descriptors need addresses and strides of 16 bytes: operands are copied to such ones.
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, row_of_a, row_of_b, row_of_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_a = tl.make_tensor_descriptor(a, shape=[m, k], strides=[row_of_a, 1], block_shape=[BM, BK])
    tiles_b = tl.make_tensor_descriptor(b, shape=[k, n], strides=[row_of_b, 1], block_shape=[BK, BN])
    tiles_c = tl.make_tensor_descriptor(c, shape=[m, n], strides=[row_of_c, 1], block_shape=[BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        total = tl.dot(tiles_a.load([row, at]), tiles_b.load([at, column]), total, input_precision="ieee")
    tiles_c.store([row, column], total)


def aligned(matrix):
    rows, columns = matrix.shape
    wide = torch.zeros((rows, triton.cdiv(columns, 4) * 4), device=matrix.device)
    wide[:, :columns] = matrix
    return wide


def solution(input_a, input_b, m, n, k):
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
    a, b = aligned(input_a), aligned(input_b)
    c = torch.empty((m, b.shape[1]), device=a.device)
    product[(triton.cdiv(m, 16), triton.cdiv(n, 16))](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), BM=16,
                                                      BN=16, BK=32)
    return c[:, :n]
