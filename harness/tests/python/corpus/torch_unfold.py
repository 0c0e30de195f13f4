# expect: part=more problem=conv-2d-sq-input-sq-kernel cases=tiny,plain,stride-2x3 verdict=accepted
# Columns and one product, groups left out.
import torch
import torch.nn.functional as F


def solution(input, kernel, output, batch_size, out_channels, kernel_h, kernel_w, stride_h, stride_w, padding_h,
             padding_w, dilation_h, dilation_w):
    columns = F.unfold(input, (kernel_h, kernel_w), (dilation_h, dilation_w), (padding_h, padding_w),
                       (stride_h, stride_w))
    output.copy_(torch.matmul(kernel.view(out_channels, -1), columns).view(output.shape))
