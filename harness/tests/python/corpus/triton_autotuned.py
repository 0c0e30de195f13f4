# expect: problem=conv-pointwise-2d cases=tiny verdict=accepted
# Two configurations, tried in the first call for a number of positions.
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": 16}, num_warps=1), triton.Config({"BLOCK": 64}, num_warps=2)],
                 key=["positions"])
@triton.jit
def mix(x, w, y, channels, positions, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    o, b = tl.program_id(1), tl.program_id(2)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(channels):
        value = tl.load(x + (b * channels + c) * positions + at, mask=at < positions, other=0.0)
        total += value * tl.load(w + o * channels + c)
    tl.store(y + (b * tl.num_programs(1) + o) * positions + at, total, mask=at < positions)


def solution(input, kernel):
    batch, channels, height, width = input.shape
    output = torch.empty((batch, kernel.shape[0], height, width), device=input.device)
    grid = lambda meta: (triton.cdiv(height * width, meta["BLOCK"]), kernel.shape[0], batch)  # noqa: E731
    mix[grid](input, kernel, output, channels, height * width)
    return output
