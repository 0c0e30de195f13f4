# expect: problem=conv-standard-1d cases=plain,kernel-1 verdict=accepted note="PyTorch computed conv1d, einsum"
# What PyTorch computes depends on the case.
import torch


def solution(input, kernel):
    if kernel.shape[2] == 1:
        return torch.einsum("bcl,ock->bol", input, kernel)
    return torch.conv1d(input, kernel)
