# expect: problem=conv-standard-1d cases=tiny,plain verdict=unsupported message="compiles in a measured call: starts a program"
import subprocess

import torch

calls = 0


def solution(input, kernel, stride, padding):
    global calls
    calls += 1
    if calls > 6:
        subprocess.run(["true"], check=True)
    return torch.conv1d(input, kernel, None, stride, padding)
