# finding: wrong_answer
import torch.nn.functional as F


def solution(input, kernel):
    return F.conv1d(input, kernel.flip(2))
