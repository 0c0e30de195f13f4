# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="RuntimeError: line six (wild_windows_file.py:6, in solution)"
# Lines end as Windows ends them, and the file begins with a byte order mark.


def solution(input, kernel):
    raise RuntimeError("line six")
