# expect: problem=mean-dim cases=middle-of-three verdict=wrong_answer message="returned shape [5, 67]"
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.mean(x, dim=self.dim + 1)
