# expect: problem=conv-standard-1d cases=tiny verdict=accepted
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def convolve(x_ptr, w_ptr, y_ptr, C, L, N, S, P, K: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    o, b = tl.program_id(1), tl.program_id(2)
    n = pid * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for c in range(0, C):
        for k in tl.static_range(K):
            at = n * S - P + k
            x = tl.load(x_ptr + (b * C + c) * L + at, mask=(at >= 0) & (at < L), other=0.0)
            acc += x * tl.load(w_ptr + (o * C + c) * K + k)
    tl.store(y_ptr + (b * tl.num_programs(1) + o) * N + n, acc, mask=n < N)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, padding=padding, bias=bias)

    def forward(self, x):
        weight = self.conv1d.weight
        (stride,), (padding,) = self.conv1d.stride, self.conv1d.padding
        B, C, L = x.shape
        O, _, K = weight.shape
        N = (L + 2 * padding - K) // stride + 1
        y = torch.empty(B, O, N, device=x.device, dtype=x.dtype)
        convolve[(triton.cdiv(N, 32), O, B)](x, weight, y, C, L, N, stride, padding, K=K, BLOCK=32)
        return y
