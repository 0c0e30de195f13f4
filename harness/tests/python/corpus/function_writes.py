# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# Every name of the problem, in its order; what the convolution sums up is gathered by strides.
import torch


def solution(input, kernel, output, batch_size, in_channels, out_channels, length, kernel_size, stride, padding,
             dilation, groups):
    padded = torch.nn.functional.pad(input, (padding, padding))
    columns = padded.as_strided(
        (batch_size, groups, in_channels // groups, output.shape[2], kernel_size),
        (padded.stride(0), padded.stride(1) * (in_channels // groups), padded.stride(1), stride, dilation))
    weights = kernel.view(groups, out_channels // groups, in_channels // groups, kernel_size)
    output.copy_(torch.einsum("bgcxk,gock->bgox", columns, weights).reshape(output.shape))
