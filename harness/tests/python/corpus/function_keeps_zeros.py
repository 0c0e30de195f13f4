# expect: problem=upper-trig-matmul cases=odd,primes verdict=wrong_answer message="all never written"
# Returns the same memory in every call, and writes the zeros below the diagonal only once.
import torch

kept = {}


def solution(input_a, input_b):
    n = len(input_a)
    if n not in kept:
        kept[n] = torch.zeros_like(input_a), torch.ones_like(input_a).triu().bool()
    answer, upper = kept[n]
    answer[upper] = (input_a @ input_b)[upper]
    return answer
