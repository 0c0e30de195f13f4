# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error
# Ends without any of Python's clean-up.
import os


def solution(input, kernel, stride, padding):
    os._exit(0)
