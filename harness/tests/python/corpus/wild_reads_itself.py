# expect: problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Its own file and source can be read; its name is that of a module.
import inspect
import sys

import torch

with open(__file__, encoding="utf-8") as file:
    assert "wild_reads_itself" not in sys.modules and "def solution" in file.read()


def solution(input, kernel, stride, padding):
    assert "inspect.getsource" in inspect.getsource(solution) and sys.modules[__name__].solution is solution
    return torch.conv1d(input, kernel, None, stride, padding)
