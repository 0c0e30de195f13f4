# expect: problem=conv-standard-1d cases=tiny,everything verdict=accepted
# "body.0.inner.weight" is the problem's "conv1d.weight".
import torch.nn as nn


class Inner(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.inner = nn.Conv1d(*args, bias=False, **kwargs)

    def forward(self, x):
        return self.inner(x)


class ModelNew(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.body = nn.Sequential(Inner(*args, **kwargs), nn.Identity())

    def forward(self, x):
        return self.body(x)
