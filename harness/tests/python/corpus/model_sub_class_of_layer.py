# expect: part=more problem=conv-standard-1d cases=tiny,everything verdict=accepted
# The module is the layer itself: its weights are called "weight".
import torch.nn as nn


class ModelNew(nn.Conv1d):
    def __init__(self, *args, **kwargs):
        kwargs.pop("bias", None)
        super().__init__(*args, bias=False, **kwargs)
