# expect: problem=conv-standard-1d cases=plain verdict=accepted
# A tensor whose memory holds the negated values.
import torch


def solution(input, kernel):
    return torch._neg_view(-torch.conv1d(input, kernel))
