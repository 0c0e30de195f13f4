import torch


class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        y = torch.empty_like(x)
        total = torch.zeros_like(x.select(self.dim, 0))
        for i in range(x.shape[self.dim]):
            total = total + x.select(self.dim, i)
            y.select(self.dim, i).copy_(total)
        return y
