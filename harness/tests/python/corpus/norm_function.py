# expect: problem=conv-transpose2d-batchnorm-tanh-maxpool-groupnorm cases=tiny,plain,stride-2x3 verdict=accepted
# The weights as arguments: a function can state cases that the module cannot.
import torch
import torch.nn.functional as F


def solution(input, kernel, bn_weight, bn_bias, gn_weight, gn_bias, stride_h, stride_w, padding_h, padding_w,
             output_padding_h, output_padding_w, num_groups):
    x = F.conv_transpose2d(input, kernel, None, (stride_h, stride_w), (padding_h, padding_w),
                           (output_padding_h, output_padding_w))
    x = torch.tanh(F.batch_norm(x, None, None, bn_weight, bn_bias, training=True))
    return F.group_norm(F.max_pool2d(x, 2), num_groups, gn_weight, gn_bias)
