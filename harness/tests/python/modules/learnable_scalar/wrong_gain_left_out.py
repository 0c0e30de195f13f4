# The gain, which Model gets as an argument, is left out.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, gain):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.empty(()))
        self.offset = torch.nn.Parameter(torch.empty(()))

    def forward(self, x):
        return torch.addcmul(self.offset, torch.tanh(x), torch.full_like(x, 1.0))
