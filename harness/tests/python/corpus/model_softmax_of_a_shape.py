# expect: problem=softmax cases=tiny,vector,first-of-four verdict=accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.softmax(x, dim=self.dim)
