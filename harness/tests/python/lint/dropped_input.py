import torch


class Model(torch.nn.Module):
    """A softmax, which a shift of all elements does not change."""

    def forward(self, x, shift):
        return torch.softmax(x + shift, dim=1)


def get_inputs():
    return [torch.randn(8, 30), torch.randn(8, 1)]


def get_init_inputs():
    return []
