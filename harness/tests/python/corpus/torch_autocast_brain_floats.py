# expect: part=more problem=matrix-multiplication cases=over-a-tile,primes verdict=low_precision
# expect: message="reaches bf16 precision"
import torch


@torch.autocast("cuda", dtype=torch.bfloat16)
def solution(input_a, input_b):
    return torch.einsum("ik,kj->ij", input_a, input_b).float()
