# expect: problem=conv-pointwise-2d cases=tiny verdict=unsupported message="compiles in a measured call: the Triton kernel 'scale'" only=cuda
# Each call has a constant of its own, so that each compiles anew.
import torch
import triton
import triton.language as tl

calls = 0


@triton.jit
def scale(y, count, CALL: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(y + at, mask=at < count) * (CALL / CALL), mask=at < count)


def solution(input, kernel):
    global calls
    calls += 1
    output = torch.conv2d(input, kernel)
    scale[(1,)](output, output.numel(), CALL=calls, BLOCK=16)
    return output
