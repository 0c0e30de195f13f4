# expect: problem=conv-standard-1d cases=plain verdict=accepted emulated=unsupported emulated-message="asks PyTorch for a GPU in a way that the emulated device does not have"
import torch


def solution(input, kernel):
    torch._C._cuda_init()
    return torch.conv1d(input, kernel)
