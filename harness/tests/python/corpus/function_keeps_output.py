# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# Returns the same memory in every call, and writes all of it.
import torch
import torch.nn.functional as F

kept = {}


def solution(input, kernel, stride, padding, dilation, groups):
    answer = F.conv1d(input, kernel, None, stride, padding, dilation, groups)
    return kept.setdefault(answer.shape, torch.empty_like(answer)).copy_(answer)
