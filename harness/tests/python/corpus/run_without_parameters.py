# expect: problem=relu cases=tiny verdict=signature_mismatch message="'run' takes nothing"
import torch


def run():
    return torch.ones(3)
