# expect: problem=conv-pointwise-2d cases=tiny,plain verdict=unsupported message="builds an extension in a measured call"
# Built when the rehearsal is over.
import torch
from torch.utils.cpp_extension import load_inline

calls = 0


def solution(input, kernel):
    global calls
    calls += 1
    if calls > 6:
        load_inline(name="late", cpp_sources="int answer() { return 42; }", functions=["answer"])
    return torch.conv2d(input, kernel)
