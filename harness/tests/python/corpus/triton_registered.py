# expect: problem=relu cases=tiny,odd verdict=accepted
# The kernel behind an operator that is registered for GPUs.
import torch
import triton
import triton.language as tl


@triton.jit
def rectify(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.maximum(tl.load(x + at, mask=at < n), 0.0), mask=at < n)


@torch.library.custom_op("mine::rectify", mutates_args=(), device_types="cuda")
def rectified(x: torch.Tensor) -> torch.Tensor:
    result = torch.empty_like(x)
    rectify[(triton.cdiv(x.numel(), 256),)](x, result, x.numel(), BLOCK=256)
    return result


def solution(input):
    return torch.ops.mine.rectify(input)
