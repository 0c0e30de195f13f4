# expect: problem=conv-pointwise-2d cases=tiny verdict=accepted
import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["positions"]),
                    "EVEN": lambda args: args["positions"] % 2 == 0})
@triton.jit
def mix(x, w, y, channels, positions, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.arange(0, BLOCK)
    o, b = tl.program_id(0), tl.program_id(1)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for c in range(channels):
        if EVEN and BLOCK == 2:
            value = tl.load(x + (b * channels + c) * positions + at)
        else:
            value = tl.load(x + (b * channels + c) * positions + at, mask=at < positions, other=0.0)
        total += value * tl.load(w + o * channels + c)
    tl.store(y + (b * tl.num_programs(0) + o) * positions + at, total, mask=at < positions)


def solution(input, kernel):
    batch, channels, height, width = input.shape
    output = torch.zeros((batch, kernel.shape[0], height, width), device=input.device)
    mix[(kernel.shape[0], batch)](input, kernel, output, channels, height * width)
    return output
