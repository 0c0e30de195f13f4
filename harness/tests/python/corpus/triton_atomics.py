# expect: problem=sum-dim cases=tiny,rows verdict=accepted
# Atomics of several kinds, and a lock that one program holds at a time.
import torch
import triton
import triton.language as tl


@triton.jit
def add_rows(x, sums, most, lock, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    tl.atomic_add(sums + row, tl.sum(value, axis=0), sem="relaxed")
    tl.atomic_max(most + at, at.to(tl.int32), mask=at < columns)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.device_print("row", row)
    tl.atomic_xchg(lock, 0)


def solution(input, dim, output, shape, ndim):
    rows, columns = input.shape[0], input.shape[1]
    assert dim == 1
    output.zero_()
    most = torch.zeros(columns, dtype=torch.int32, device=input.device)
    add_rows[(rows, triton.cdiv(columns, 32))](input, output, most, torch.zeros(1, dtype=torch.int32, device="cuda"),
                                               columns, BLOCK=32)
    # Adds 0 unless a maximum is not what it should be.
    output += (most - torch.arange(columns, device=most.device)).abs().sum()
