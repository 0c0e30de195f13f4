# Triton, in its interpreter.
import torch
import triton
import triton.language as tl


@triton.jit
def conv(input, kernel, output, outputs, channels, length, width: tl.constexpr, out_length, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for c in range(channels):
        for k in range(width):
            values = tl.load(input + (row // outputs * channels + c) * length + x + k, mask=x < out_length, other=0.0)
            total += values * tl.load(kernel + (row % outputs * channels + c) * width + k)
    tl.store(output + row * out_length + x, total, mask=x < out_length)


def solution(input, kernel):
    batch, channels, length = input.shape
    outputs, _, width = kernel.shape
    output = torch.empty(batch, outputs, length - width + 1, device="cuda")
    conv[(batch * outputs,)](input, kernel, output, outputs, channels, length, width, output.shape[2], BLOCK=64)
    return output
