# expect: problem=mean-dim cases=middle-of-three,last-of-three verdict=accepted
# As for KernelBench level1/48: three axes, and none where the mean was.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        _, _, _ = x.shape
        return torch.mean(x, dim=self.dim)
