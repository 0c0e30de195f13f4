# expect: part=more problem=conv-standard-1d cases=tiny verdict=runtime_error message="build with torch.utils.cpp_extension.load_inline"
import subprocess

import torch

# The name of a compiler that no machine has where the sandbox shows it.
subprocess.run(["/nowhere/nvcc", "-shared", "-o", "kernel.so", "kernel.cu"], check=True)


def solution(input, kernel):
    return torch.conv1d(input, kernel)
