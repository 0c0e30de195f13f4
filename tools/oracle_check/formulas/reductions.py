"""Reductions along an axis, scans, and pooling of one tensor or of channels."""

import torch
import torch.nn.functional as F


def _along(function):
    return lambda t, p: {"output": function(t["input"], p["dim"])}


def _rows(function):
    return lambda t, p: {"output": function(t["input"])}


def _exclusive(x):
    sums = torch.cumsum(x, dim=1)
    return torch.cat((torch.zeros_like(sums[:, :1]), sums[:, :-1]), dim=1)


MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
AVERAGE = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


def _pooled(calls, axes):
    def formula(t, p):
        x = t["input"]
        planes = x[None, None] if x.dim() == axes else x
        dilation = {"dilation": p["dilation"]} if calls is MAX else {}
        result = calls[axes](planes, p["kernel_size"], stride=p["stride"], padding=p["padding"], **dilation)
        return {"output": result[0, 0] if x.dim() == axes else result}

    return formula


FORMULAS = {
    "sum-dim": _along(lambda x, dim: x.sum(dim=dim, keepdim=True)),
    "mean-dim": _along(lambda x, dim: x.mean(dim=dim, keepdim=True)),
    "max-dim": _along(lambda x, dim: x.amax(dim=dim, keepdim=True)),
    "min-dim": _along(lambda x, dim: x.amin(dim=dim, keepdim=True)),
    "product-dim": _along(lambda x, dim: x.prod(dim=dim, keepdim=True)),
    "argmax": _along(lambda x, dim: x.argmax(dim=dim, keepdim=True)),
    "argmin": _along(lambda x, dim: x.argmin(dim=dim, keepdim=True)),
    "cumsum": _rows(lambda x: torch.cumsum(x, dim=0)),
    "cumprod": _rows(lambda x: torch.cumprod(x, dim=0)),
    "cumsum-rows": _rows(lambda x: torch.cumsum(x, dim=1)),
    "cumprod-rows": _rows(lambda x: torch.cumprod(x, dim=1)),
    "cumsum-reverse": _rows(lambda x: torch.cumsum(x.flip(1), dim=1).flip(1)),
    "cumsum-exclusive": _rows(_exclusive),
    "cumsum-masked": lambda t, p: {"output": torch.cumsum(t["input"] * t["mask"], dim=1)},
    **{f"{name}-{axes}d": _pooled(calls, axes) for axes in (1, 2, 3)
       for name, calls in (("max-pool", MAX), ("max-pooling", MAX), ("avg-pool", AVERAGE), ("average-pooling", AVERAGE))},
}
