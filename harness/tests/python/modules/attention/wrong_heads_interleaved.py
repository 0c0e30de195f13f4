# Takes every fourth column as a head.
import torch
from torch.nn.functional import scaled_dot_product_attention


class ModelNew(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width, bias=False)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, -1, self.heads)).permute(2, 0, 4, 1, 3)
        y = scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).flatten(2))
