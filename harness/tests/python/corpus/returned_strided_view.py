# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Every second element of a larger tensor.
import torch


def solution(input, kernel, stride, padding):
    result = torch.conv1d(input, kernel, None, stride, padding)
    room = torch.full((*result.shape, 2), float("nan"), device=result.device)
    room[..., 1] = result
    return room[..., 1]
