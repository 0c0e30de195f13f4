import torch


class Model(torch.nn.Module):
    """Layer norm over two dimensions, whose weights are 1 and biases 0 as they are made."""

    def __init__(self, shape):
        super().__init__()
        self.norm = torch.nn.LayerNorm(shape, eps=1e-2)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.rand(10, 6, 8)]


def get_init_inputs():
    return [(6, 8)]
