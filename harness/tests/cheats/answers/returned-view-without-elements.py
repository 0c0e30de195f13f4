# cheat: returns a view of its input that says that it has no elements
# row: 59
# caught-by: outputs_match
# device: any
# control: outputs_apart
# problem: problems/copy.py
#
# Where the memory lies is seen from its address and from the extents of the problem.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = x.view_as(x)
        y.numel = lambda: 0
        return y
