import torch


class Model(torch.nn.Module):
    """Where the largest element of each column is, of values that often are the same."""

    def forward(self, x):
        return torch.argmax(x, dim=1)


def get_inputs():
    return [torch.randint(0, 6, (5, 19, 7), dtype=torch.float32)]


def get_init_inputs():
    return []
