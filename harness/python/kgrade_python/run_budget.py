"""Limits the cost of running a file on the CPU. If a run exceeds the limit, the file is examined in another way."""

import itertools
import math
import time

import torch

MULTIPLICATIONS = 1 << 31


class Overrun(BaseException):
    """Ends a run that exceeds its budget. It derives from BaseException, so that `except Exception` in the file does
    not catch it."""


class Budget:
    """An observer (dispatch_mode.py) that ends a run with Overrun. `elements`: the most elements of all results together.
    `seconds`: the time limit, counted from the making of the budget. `multiplications`: the most multiplications of one
    operator. An operator that would exceed this number, or the elements that are left, is not started."""

    def __init__(self, elements, seconds, multiplications=MULTIPLICATIONS):
        self.elements, self.multiplications = elements, multiplications
        self.deadline = time.monotonic() + seconds

    def before(self, operator, args, kwargs):
        del kwargs
        if least_result(args) > self.elements or multiplications(operator.name, args) > self.multiplications:
            raise Overrun

    def after(self, operator, args, kwargs, result):
        del operator, args, kwargs
        if isinstance(result, torch.Tensor):
            self.elements -= result.numel()
        if self.elements < 0 or time.monotonic() > self.deadline:
            raise Overrun


def least_result(args):
    """Estimates the number of elements in an operator's result from its arguments. The estimate is the product of a
    list of extents, as in torch.zeros([2, 3]), or the size of the broadcast tensors, whichever is larger."""
    most = 0
    for each in args:
        if isinstance(each, (list, tuple)) and all(isinstance(extent, int) for extent in each):
            most = max(most, math.prod(each) if each else 0)
    shapes = [each.shape for each in args if isinstance(each, torch.Tensor)]
    return max(most, broadcast_size(shapes)) if len(shapes) > 1 else most


def broadcast_size(shapes):
    """The number of elements of a tensor to which these shapes can be broadcast; 0 if there is none. PyTorch's own
    broadcast_shapes() takes longer than a small operator."""
    size = 1
    for extents in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        wide = {*extents} - {1}
        if len(wide) > 1:
            return 0
        size *= wide.pop() if wide else 1
    return size


def multiplications(name, args):
    """The approximate number of multiplications in a product of matrices or a convolution."""
    if name not in ("mm", "bmm", "addmm", "baddbmm", "convolution"):
        return 0
    tensors = [each for each in args if isinstance(each, torch.Tensor)]
    if name in ("mm", "bmm") and len(tensors) == 2:
        return tensors[0].numel() * tensors[1].shape[-1]
    if name in ("addmm", "baddbmm") and len(tensors) == 3:
        return tensors[1].numel() * tensors[2].shape[-1]
    if name == "convolution" and len(tensors) > 1 and tensors[0].dim() > 1:
        return tensors[0].numel() // max(tensors[0].shape[1], 1) * tensors[1].numel()
    return 0
