import torch


class Model(torch.nn.Module):
    """Three outputs: mean, variance, and the rows normalised by them."""

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=1, keepdim=True)
        return mean.squeeze(1), variance.squeeze(1), (x - mean) / torch.sqrt(variance + 1e-3)


def get_inputs():
    return [torch.randn(14, 20)]


def get_init_inputs():
    return []
