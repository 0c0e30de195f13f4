# expect: problem=conv-standard-1d cases=plain verdict=accepted
import torch

GENERATOR = torch.Generator(device="cuda").manual_seed(3)

assert isinstance(GENERATOR, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
assert not isinstance(torch, torch.Generator)


def solution(input, kernel):
    noise = torch.rand(4, generator=GENERATOR, device="cuda")
    return torch.conv1d(input, kernel) + 0 * noise[0]
