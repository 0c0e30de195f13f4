# accomplice: the honest twin of cheats that keep the zeros beside a diagonal
#
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.diag(torch.exp(x))
