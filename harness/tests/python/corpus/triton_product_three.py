# expect: problem=matrix-multiplication cases=over-a-tile,primes part=more verdict=accepted
# Three products in TF32 for one in single precision.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        across, down = start + tl.arange(0, BK)[None, :], start + tl.arange(0, BK)[:, None]
        left = tl.load(a + rows * k + across, mask=(rows < m) & (across < k), other=0.0)
        total = tl.dot(left, tl.load(b + down * n + columns, mask=(down < k) & (columns < n), other=0.0), total,
                       input_precision="tf32x3")
    tl.store(c + rows * n + columns, total, mask=(rows < m) & (columns < n))


def solution(input_a, input_b, output_c, m, n, k):
    product[(triton.cdiv(m, 16), triton.cdiv(n, 16))](input_a, input_b, output_c, m, n, k, BM=16, BN=16, BK=16)
