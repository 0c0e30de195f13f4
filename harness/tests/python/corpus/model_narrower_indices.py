# expect: problem=argmax cases=middle-of-three,last-of-four verdict=accepted
# As for KernelBench level1/51: PyTorch's indices are int64, and the problem's are int.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.argmax(x, dim=self.dim)
