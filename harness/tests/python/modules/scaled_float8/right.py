import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(outputs, features, dtype=torch.bfloat16))

    def forward(self, x, scale):
        rows = x.float() * scale
        return (rows @ self.weight.float().T).bfloat16()
