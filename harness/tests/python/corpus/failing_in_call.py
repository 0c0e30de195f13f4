# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="AssertionError: only for a stride of 7 (failing_in_call.py:6, in solution)"
import torch


def solution(input, kernel, stride, padding):
    assert stride == 7, "only for a stride of 7"
    return torch.conv1d(input, kernel, None, stride, padding)
