#!POPCORN leaderboard grayscale
# expect: problem=grayscale cases=tiny,odd verdict=accepted
# A single input is no tuple there.
import torch
from task import input_t, output_t

weights = torch.tensor([0.299, 0.587, 0.114], device="cuda")


def custom_kernel(data: input_t) -> output_t:
    return torch.sum(data * weights.to(data.dtype), dim=-1)
