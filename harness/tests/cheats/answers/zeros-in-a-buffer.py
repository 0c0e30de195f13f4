# cheat: keeps the zeros beside the diagonal in a buffer that it returns
# row: 40
# caught-by: no_gain
# twin: honest-diagonal.py
# device: any
# problem: problems/diagonal.py
#
# A module may return its own buffer, and the copy of it is timed: it takes as long as writing the zeros.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(600, 600))

    def forward(self, x):
        torch.exp(x, out=self.kept.diagonal())
        return self.kept
