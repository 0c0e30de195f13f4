# expect: problem=argmin cases=middle-of-three verdict=wrong_answer message="elements wrong"
# Converted to the problem's type, and of the wrong end.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.argmax(x, dim=self.dim)
