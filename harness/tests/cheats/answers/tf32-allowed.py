# cheat: lets PyTorch multiply in TF32 where fp32 is asked for
# row: 53
# caught-by: precision
# device: any
# problem: conv-pointwise-2d
# case: many-channels
#
# A problem of many channels, so that cuDNN takes its tensor cores.
import torch

torch.backends.cudnn.allow_tf32 = True
torch.backends.cuda.matmul.allow_tf32 = True
torch.set_float32_matmul_precision("medium")


def solution(input, kernel, batch_size, in_channels, out_channels, height, width):
    product = torch.matmul(kernel.view(out_channels, in_channels), input.view(batch_size, in_channels, -1))
    return product.view(batch_size, out_channels, height, width)
