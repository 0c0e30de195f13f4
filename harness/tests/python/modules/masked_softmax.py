import torch


class Model(torch.nn.Module):
    """A mask that is the same in every call, of zeros and infinities."""

    def forward(self, scores, mask):
        return torch.softmax(scores + mask, dim=-1)


def get_inputs():
    return [torch.randn(3, 12, 12), torch.triu(torch.full((12, 12), float("-inf")), 1)]


def get_init_inputs():
    return []
