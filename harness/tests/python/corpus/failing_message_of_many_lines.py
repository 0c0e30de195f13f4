# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="RuntimeError: first line (failing_message_of_many_lines.py:5, in solution)"


def solution(input, kernel, stride, padding):
    raise RuntimeError("\n\nfirst line\n" + "another line of a long message\n" * 1000)
