# expect: problem=conv-pointwise-2d cases=tiny verdict=wrong_answer only=cuda
# Adds to its output: while it is tuned, each trial adds again; and later calls find what was there.
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["positions"])
@triton.jit
def mix(x, w, y, channels, positions, BLOCK: tl.constexpr):
    o = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    total = tl.load(y + o * positions + at, mask=at < positions)
    for c in range(channels):
        total += tl.load(x + c * positions + at, mask=at < positions) * tl.load(w + o * channels + c)
    tl.store(y + o * positions + at, total, mask=at < positions)


def solution(input, kernel, output, in_channels, out_channels, height, width):
    mix[(out_channels,)](input, kernel, output, in_channels, height * width)
