import torch


class Model(torch.nn.Module):
    """A product of float8 activations with bfloat16 weights, and a scale for each row."""

    def __init__(self, features, outputs):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(outputs, features, dtype=torch.bfloat16))

    def forward(self, x, scale):
        product = x.to(torch.bfloat16) @ self.weight.T
        return (product.float() * scale).to(torch.bfloat16)


def get_inputs():
    return [torch.randn(9, 64).to(torch.float8_e4m3fn), torch.rand(9, 1) + 0.5]


def get_init_inputs():
    return [64, 16]
