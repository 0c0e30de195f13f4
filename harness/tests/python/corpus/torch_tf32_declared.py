# expect: part=more problem=matrix-multiplication cases=over-a-tile,primes verdict=accepted
# kgrade: precision tf32
import torch

torch.backends.cuda.matmul.allow_tf32 = True


def solution(input_a, input_b):
    return input_a @ input_b
