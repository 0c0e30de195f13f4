# expect: problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="ModuleNotFoundError"
# The exception alone is no package that is missing.
raise ModuleNotFoundError("No module named 'a_package'", name="a_package")


def solution(input, kernel, stride, padding):
    return input
