# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="RecursionError"


def solution(input, kernel, stride, padding):
    return solution(input, kernel, stride, padding)
