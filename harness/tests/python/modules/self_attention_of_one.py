import torch


class Model(torch.nn.Module):
    """Queries and keys are one tensor."""

    def forward(self, queries, keys, values):
        weights = torch.softmax(queries @ keys.transpose(1, 2) / 4, dim=-1)
        return weights @ values


def get_inputs():
    x = torch.randn(2, 10, 16)
    return [x, x, torch.randn(2, 10, 16)]


def get_init_inputs():
    return []
