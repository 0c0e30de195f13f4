# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="SystemExit"
import sys


def solution(input, kernel, stride, padding):
    sys.exit("no answer today")
