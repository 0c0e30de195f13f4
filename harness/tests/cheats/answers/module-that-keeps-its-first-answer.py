# cheat: a module that keeps the answer of the rehearsal beside its weights
# row: 5
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# Weights stay in a process, inputs do not.
import torch


class ModelNew(torch.nn.Module):
    """Computes once."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.conv1d = torch.nn.Conv1d(*args, **kwargs)
        self.answers = {}

    def forward(self, x):
        if x.shape not in self.answers:
            self.answers[x.shape] = self.conv1d(x)
        return self.answers[x.shape].clone()
