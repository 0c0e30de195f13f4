# expect: problem=relu cases=tiny verdict=accepted
# Libraries inherit from these classes when they are imported.
import torch


class Recorded(torch.cuda.CUDAGraph):
    pass


class Recording(torch.cuda.graph):
    pass


def solution(input, n, m):
    assert issubclass(Recorded, torch.cuda.CUDAGraph) and not isinstance(input, torch.cuda.graph)
    return torch.relu(input)
