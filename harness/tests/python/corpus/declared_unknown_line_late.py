# expect: problem=relu cases=tiny verdict=compile_error message="declared_unknown_line_late.py:4: this line says nothing that is known"
import torch

# kgrade: entri solution


def solution(input):
    return torch.relu(input)
