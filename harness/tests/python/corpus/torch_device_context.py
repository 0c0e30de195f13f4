# expect: part=more problem=conv-standard-1d cases=tiny,plain verdict=accepted
# New tensors go to the GPU by default.
import torch

with torch.device("cuda"):
    factor = torch.tensor(2.0)


def solution(input, kernel, stride, padding):
    with torch.cuda.device(input.device), torch.device("cuda"):
        half = torch.full((1,), 0.5)
        return torch.conv1d(input, kernel, None, stride, padding) * factor * half
