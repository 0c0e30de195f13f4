# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="RuntimeError: gave up (failing_prints_before.py:8, in solution)"
# The last words are said after more output than is kept.


def solution(input, kernel, stride, padding):
    for number in range(100000):
        print("line", number)
    raise RuntimeError("gave up")
