# expect: part=more problem=matrix-multiplication cases=over-a-tile,primes verdict=accepted
import torch


@torch.autocast("cuda")
def solution(input_a, input_b):
    with torch.autocast("cuda", enabled=False):
        return input_a @ input_b
