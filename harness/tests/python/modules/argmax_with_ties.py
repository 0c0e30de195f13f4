import torch


class Model(torch.nn.Module):
    """Where the largest element of each column is, of values that are sometimes the same."""

    def forward(self, x):
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.randint(0, 40, (5, 19, 31), dtype=torch.float32)]


def get_init_inputs():
    return []
