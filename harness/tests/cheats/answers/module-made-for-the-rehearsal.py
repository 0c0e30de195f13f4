# cheat: a module whose constructor learns the inputs of the rehearsal
# row: 8
# caught-by: outputs_match
# device: any
# problem: conv-standard-1d
# case: plain
#
# It looks for them in the frames that call it, and answers for them alone.
import sys

import torch


class ModelNew(torch.nn.Module):
    """Knows what it is built with."""

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.conv1d = torch.nn.Conv1d(*args, **kwargs)
        self.seen = None
        frame = sys._getframe()
        while frame is not None:
            lent = frame.f_locals.get("tensors")
            if isinstance(lent, dict) and "input" in lent:
                self.seen = torch.conv1d(lent["input"], lent["kernel"])
            frame = frame.f_back

    def forward(self, x):
        return self.seen.clone() if self.seen is not None else self.conv1d(x) * 0
