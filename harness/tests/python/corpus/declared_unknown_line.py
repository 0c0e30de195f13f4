# expect: problem=relu cases=tiny verdict=compile_error message="this line says nothing that is known"
# kgrade: precison tf32
import torch


def solution(input):
    return torch.relu(input)
