import torch


class Model(torch.nn.Module):
    """A loss: the output has no dimensions."""

    def forward(self, predictions, targets):
        return torch.nn.functional.smooth_l1_loss(predictions, targets)


def get_inputs():
    return [torch.randn(32, 10), torch.randn(32, 10)]


def get_init_inputs():
    return []
