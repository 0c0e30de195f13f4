# cheat: draws a dropout's mask once, and computes only what it keeps
# row: 11
# caught-by: outputs_match
# device: any
# control: forward_seeds
# problem: problems/dropout.py
#
# The random numbers of each call are its own.
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, x):
        if self.kept is None:
            mask = torch.nn.functional.dropout(torch.ones_like(x), 0.5, training=True)
            self.kept = mask.flatten().nonzero().flatten()
        y = torch.ones_like(x)
        y.view(-1)[self.kept] += 2 * torch.tanh(x.reshape(-1)[self.kept])
        return y
