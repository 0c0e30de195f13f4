# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# Asks a program about the machine while it is loaded, when compilers may run.
import subprocess

import torch

try:
    machine = subprocess.run(["uname", "-m"], capture_output=True, text=True, check=False, timeout=20).stdout
except OSError:
    machine = "unknown"


def solution(input, kernel, stride, padding):
    assert machine
    return torch.conv1d(input, kernel, None, stride, padding)
