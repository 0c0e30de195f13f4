# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Right, with strides of its own.
import torch


def solution(input, kernel, stride, padding):
    result = torch.conv1d(input, kernel, None, stride, padding)
    return result.transpose(1, 2).contiguous().transpose(1, 2)
