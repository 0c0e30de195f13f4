# expect: problem=conv-depthwise-2d-square-input-asym-kernel case="batch_size=2,in_channels=3,out_channels=6,height=7,width=5,kernel_h=3,kernel_w=1,groups=3" verdict=accepted
# kgrade: dtype float16
# The tensors are of the type that the file declares.
import torch
import torch.nn.functional as F


def solution(input, kernel, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups):
    assert input.dtype == kernel.dtype == torch.float16
    sums = F.conv2d(input.float(), kernel.float(), None, (stride_h, stride_w), (padding_h, padding_w),
                    (dilation_h, dilation_w), groups)
    return sums.half()
