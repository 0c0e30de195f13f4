# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="ValueError: Länge 5 ≠ 8 (wild_non_ascii.py:8, in solution)"
# Names and texts beyond ASCII: größe, 大きさ.


def solution(input, kernel, length):
    größe = length
    if größe != 8:
        raise ValueError(f"Länge {größe} ≠ 8")
