# expect: problem=relu cases=tiny,odd verdict=accepted
# So are the sources of an extension, and their headers.
import os

from torch.utils.cpp_extension import load

module = load(name="neighbour", sources=[os.path.join(os.path.dirname(__file__), "neighbours", "kernel.cu")])


def solution(input):
    return module.rectified(input)
