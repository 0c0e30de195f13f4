# expect: part=more problem=conv-2d-sq-input-sq-kernel cases=tiny,plain,stride-2x3 verdict=runtime_error message="case 'stride-2x3'"
import torch
import torch.nn.functional as F


def solution(input, kernel, output, batch_size, out_channels, kernel_h, kernel_w, stride_h, stride_w):
    columns = F.unfold(input, (kernel_h, kernel_w), stride=(stride_w, stride_h))
    output.copy_(torch.matmul(kernel.view(out_channels, -1), columns).view(output.shape))
