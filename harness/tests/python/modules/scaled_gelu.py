import torch


class Model(torch.nn.Module):
    """Pointwise: GELU, scaled, and the input added."""

    def forward(self, x):
        return torch.nn.functional.gelu(x) * 0.5 + x


def get_inputs():
    return [torch.randn(16, 50)]


def get_init_inputs():
    return []
