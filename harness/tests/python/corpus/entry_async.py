# expect: problem=conv-standard-1d cases=tiny,everything verdict=signature_mismatch message="entry_async.py:5: 'solution' is async"
import torch


async def solution(input, kernel, stride, padding, dilation, groups):
    return torch.conv1d(input, kernel, None, stride, padding, dilation, groups)
