# expect: problem=conv-standard-1d cases=tiny,plain verdict=unsupported message="needs the package"
import a_package_that_nobody_has


def solution(input, kernel, stride, padding):
    return a_package_that_nobody_has.conv1d(input, kernel, None, stride, padding)
