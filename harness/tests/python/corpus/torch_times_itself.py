# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Measures its own calls, as tuning code does; what it finds changes nothing.
import time

import torch


def solution(input, kernel, stride, padding):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begun = time.perf_counter()
    start.record()
    result = torch.conv1d(input, kernel, None, stride, padding)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0 and time.perf_counter() >= begun
    return result
