# expect: problem=relu cases=tiny,odd verdict=accepted
# Modules and data of a folder that the file names are there.
from neighbours.helper import rectified


def solution(input):
    return rectified(input)
