"""Reductions along an axis, and scans."""

import torch


def _along(function):
    return lambda t, p: {"output": function(t["input"], p["dim"])}


def _rows(function):
    return lambda t, p: {"output": function(t["input"])}


def _exclusive(x):
    sums = torch.cumsum(x, dim=1)
    return torch.cat((torch.zeros_like(sums[:, :1]), sums[:, :-1]), dim=1)


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
}
