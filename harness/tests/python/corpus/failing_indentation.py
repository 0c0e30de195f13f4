# expect: problem=conv-standard-1d cases=tiny,plain verdict=compile_error message="failing_indentation.py:7: "
import torch


def solution(input, kernel, stride, padding):
    result = torch.conv1d(input, kernel, None, stride, padding)
      return result
