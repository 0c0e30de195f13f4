import torch


class ModelNew(torch.nn.Module):
    def __init__(self, columns, outputs):
        super().__init__()
        self.linear = torch.nn.Linear(columns, outputs)

    def forward(self, x):
        return torch.nn.functional.linear(x, self.linear.weight, self.linear.bias).clamp(min=0)
