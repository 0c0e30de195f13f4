# expect: part=more problem=conv-pointwise-2d cases=tiny verdict=runtime_error|compile_error
# A name that the kernel does not have.
import torch
import triton
import triton.language as tl


@triton.jit
def mix(x, w, y, channels, positions, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at) * factor, mask=at < positions)  # noqa: F821


def solution(input, kernel, output, in_channels, height, width):
    mix[(1,)](input, kernel, output, in_channels, height * width, BLOCK=4)
