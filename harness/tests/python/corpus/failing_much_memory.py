# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error|memory_limit
import torch


def solution(input, kernel, stride, padding):
    room = torch.empty(1 << 44, dtype=torch.uint8, device="cuda")
    return torch.conv1d(input, kernel, None, stride, padding) + room[0]
