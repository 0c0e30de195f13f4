# expect: problem=conv-transpose-2d-asym-input-sq-kernel-dilated-padded-strided cases=plain,stride-2x3,kernelbench-small
# expect: verdict=accepted
import torch.nn.functional as F


def solution(input, kernel, stride_h, stride_w, padding_h, padding_w, output_padding_h, output_padding_w, dilation_h,
             dilation_w, groups):
    return F.conv_transpose2d(input, kernel, None, (stride_h, stride_w), (padding_h, padding_w),
                              (output_padding_h, output_padding_w), groups, (dilation_h, dilation_w))
