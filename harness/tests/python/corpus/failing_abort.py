# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="signal 6"
import os


def solution(input, kernel, stride, padding):
    os.abort()
