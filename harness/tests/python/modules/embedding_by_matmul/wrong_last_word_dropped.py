# The last row counts for nothing.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)

    def forward(self, logits):
        powers = logits.exp()
        y = torch.einsum("btw,wd->btd", powers[..., :-1], self.embedding.weight[:-1])
        return y / powers.sum(dim=-1, keepdim=True)
