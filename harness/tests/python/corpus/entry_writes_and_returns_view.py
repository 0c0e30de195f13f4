# expect: problem=conv-standard-1d cases=plain verdict=accepted
import torch


def solution(input, kernel, output):
    output.copy_(torch.conv1d(input, kernel))
    return output.view(output.shape)
