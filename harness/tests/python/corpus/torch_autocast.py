# expect: problem=conv-standard-1d cases=plain verdict=low_precision
import torch


def solution(input, kernel, stride, padding):
    with torch.autocast("cuda", dtype=torch.float16):
        result = torch.conv1d(input, kernel, None, stride, padding)
    return result.float()
