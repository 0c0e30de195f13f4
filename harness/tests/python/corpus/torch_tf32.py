# expect: problem=conv-pointwise-2d cases=powers-of-two,many-channels verdict=low_precision|accepted emulated=low_precision
# TF32 is allowed and judged by what comes of it; cuBLAS need not use it for small products.
import torch

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.set_float32_matmul_precision("high")


def solution(input, kernel, batch_size, in_channels, out_channels, height, width):
    product = torch.matmul(kernel.view(out_channels, in_channels), input.view(batch_size, in_channels, -1))
    return product.view(batch_size, out_channels, height, width)
