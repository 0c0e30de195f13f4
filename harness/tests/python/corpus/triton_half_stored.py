# expect: part=more problem=conv-pointwise-2d cases=tiny verdict=wrong_answer
# The mask of the store leaves out the last position.
import torch
import triton
import triton.language as tl


@triton.jit
def mix(x, w, y, channels, positions, BLOCK: tl.constexpr):
    o = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(channels):
        total += tl.load(x + c * positions + at, mask=at < positions, other=0.0) * tl.load(w + o * channels + c)
    tl.store(y + o * positions + at, total, mask=at < positions - 1)


def solution(input, kernel, output, in_channels, out_channels, height, width):
    mix[(out_channels,)](input, kernel, output, in_channels, height * width, BLOCK=4)
