# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="raised Wordless (failing_without_words.py:10, in solution)"


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def solution(input, kernel, stride, padding):
    raise Wordless
