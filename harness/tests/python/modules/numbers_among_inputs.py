import torch


class Model(torch.nn.Module):
    """Plain numbers, a tuple and None between the tensors of forward."""

    def forward(self, x, alpha, y, power, shifts, unused):
        assert unused is None
        return alpha * x**power + torch.roll(y, shifts, dims=(0, 1))


def get_inputs():
    return [torch.rand(12, 7), 0.75, torch.rand(12, 7), 3, (1, 2), None]


def get_init_inputs():
    return []
