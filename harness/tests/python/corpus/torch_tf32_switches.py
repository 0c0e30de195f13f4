# expect: problem=matrix-multiplication cases=over-a-tile,primes verdict=low_precision
# expect: message="reaches tf32 precision"
# Allowed for one call only.
import torch


def solution(input_a, input_b):
    torch.set_float32_matmul_precision("high")
    product = torch.nn.functional.linear(input_a, input_b.t())
    torch.set_float32_matmul_precision("highest")
    return product
