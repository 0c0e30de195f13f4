# expect: part=more problem=conv-2d-sq-input-sq-kernel cases=plain,groups-4 verdict=runtime_error message="case 'groups-4'"
import torch.nn.functional as F


def solution(input, kernel, stride_h, stride_w, padding_h, padding_w):
    return F.conv2d(input, kernel, stride=(stride_h, stride_w), padding=(padding_h, padding_w))
