# The matrices are rounded to bfloat16.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, features, outputs, slope):
        super().__init__()
        self.linear = torch.nn.Linear(features, outputs)
        self.slope = slope

    def forward(self, x):
        y = torch.addmm(self.linear.bias, x.bfloat16().float(), self.linear.weight.bfloat16().float().t())
        return torch.where(y > 0, y, self.slope * y)
