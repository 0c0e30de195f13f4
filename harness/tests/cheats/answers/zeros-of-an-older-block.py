# cheat: takes the block that held its last answer, whose zeros it trusts, and writes the diagonal
# row: 40
# caught-by: outputs_match, fresh_contents
# device: cuda
# problem: problems/diagonal.py
# launches: 1
#
# The block holds random bits. (New memory of the host is zero by itself.)
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        make = torch.zeros if self.calls < 3 else torch.empty
        y = make(len(x), len(x), device=x.device)
        torch.exp(x, out=y.diagonal())
        return y
