# expect: problem=conv-transpose-2d-asym-input-sq-kernel-dilated-padded-strided cases=plain,stride-2x3,kernelbench-small
# expect: verdict=wrong_answer message="case 'stride-2x3'"
# A convolution with the flipped kernel: right only where the strides are 1.
import torch.nn.functional as F


def solution(input, kernel, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, kernel_h, kernel_w):
    up = F.interpolate(input, scale_factor=(stride_h, stride_w), mode="nearest")
    up = up[:, :, :(input.shape[2] - 1) * stride_h + 1, :(input.shape[3] - 1) * stride_w + 1]
    edge_h, edge_w = dilation_h * (kernel_h - 1) - padding_h, dilation_w * (kernel_w - 1) - padding_w
    weights = kernel.flip((2, 3)).transpose(0, 1)
    return F.conv2d(F.pad(up, (edge_w, edge_w, edge_h, edge_h)), weights, dilation=(dilation_h, dilation_w))
