# expect: problem=conv-standard-1d cases=tiny,plain verdict=compile_error message="failing_syntax.py:5: SyntaxError"
import torch


def solution(input, kernel, stride, padding:
    return torch.conv1d(input, kernel, None, stride, padding)
