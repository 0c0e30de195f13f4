import torch


class Model(torch.nn.Module):
    """Soft choices of an embedding's rows."""

    def __init__(self, words, width):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)

    def forward(self, logits):
        return torch.matmul(torch.softmax(logits, dim=-1), self.embedding.weight)


def get_inputs():
    return [torch.randn(3, 8, 20)]


def get_init_inputs():
    return [20, 6]
