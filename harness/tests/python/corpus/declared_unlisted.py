# expect: problem=conv-pointwise-2d cases=tiny verdict=compile_error message=float16
# kgrade: dtype float16
# The problem has no such type.
def solution(input, kernel):
    return input
