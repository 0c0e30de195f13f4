# Over the last two dimensions.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        count = x.shape[0] * x.shape[2]
        return torch.einsum("abc->a", x) / count
