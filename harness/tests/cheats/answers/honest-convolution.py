# accomplice: the honest twin of cheats in Python that gain nothing
#
import torch


def solution(input, kernel):
    return torch.conv1d(input, kernel)
