# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=runtime_error message="the fourth call (failing_later.py:13, in solution)"
# The emulated device makes one call in the rehearsal of a case, a GPU three.
import torch

calls = 0


def solution(input, kernel, stride, padding):
    global calls
    calls += 1
    if calls > 3:
        # The trace of a candidate's own frames ends here.
        raise RuntimeError("the fourth call")
    return torch.conv1d(input, kernel, None, stride, padding)
