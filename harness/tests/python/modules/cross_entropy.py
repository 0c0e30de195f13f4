import torch


class Model(torch.nn.Module):
    """The mean loss over a batch with labels."""

    def forward(self, predictions, labels):
        return torch.nn.functional.cross_entropy(predictions, labels)


def get_inputs():
    return [torch.randn(40, 9), torch.randint(0, 9, (40,))]


def get_init_inputs():
    return []
