# PyTorch alone.
import torch.nn.functional as F


def solution(input, kernel, output):
    output.copy_(F.conv1d(input, kernel))
