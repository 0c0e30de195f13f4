# expect: problem=argmax cases=middle-of-three verdict=wrong_answer message="returned float32 for output 'output', which is int32"
# The largest elements are not their places.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.amax(x, dim=self.dim)
