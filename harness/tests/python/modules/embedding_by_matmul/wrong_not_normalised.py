# The powers are not divided by their sum.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)

    def forward(self, logits):
        powers = logits.exp()
        y = torch.einsum("btw,wd->btd", powers, self.embedding.weight)
        return y
